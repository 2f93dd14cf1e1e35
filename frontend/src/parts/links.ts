/** Links from parts of a view to what else the run holds. */
import { computed, inject, provide, type InjectionKey, type Ref as VueRef } from "vue";
import type { RouteLocationRaw } from "vue-router";

import type { Cite, Ref, Run } from "../types";

interface Links {
  agent: (id: string) => RouteLocationRaw;
  question: (place: string) => RouteLocationRaw;
  cite: (cite: Cite) => RouteLocationRaw;
  ref: (ref: Omit<Ref, "label">) => RouteLocationRaw | null;
}

const RUN: InjectionKey<VueRef<Run | undefined>> = Symbol("run");

export function provideRun(run: VueRef<Run | undefined>): void {
  provide(RUN, run);
}

export function useRun(): VueRef<Run | undefined> {
  return inject(RUN, computed(() => undefined));
}

/** The name of the file that a citation says it is from, to be put behind its passage. */
export function fileOf(cite: Cite): string {
  const found = /\] (?:.*\/)?([^/,]+), characters/.exec(cite.label ?? "");
  return found ? `, ${found[1]}` : "";
}

/** The world of a citation that names none: the run's first. */
function worldOf(run: Run | undefined): string {
  const worlds = run?.study.world;
  const named = worlds && typeof worlds === "object" ? Object.entries(worlds) : [];
  return named.find(([, one]) => one && typeof one === "object")?.[0] ?? "-";
}

export function useLinks(): Links {
  const run = useRun();
  const id = (): string => run.value?.id ?? "";
  const view = (form: string, focus: string): RouteLocationRaw | null => {
    const found = run.value?.surfaces.find((s) => s.form === form && !s.empty);
    return found ? { name: "view", params: { id: id(), surface: found.name }, query: { focus } } : null;
  };
  const links: Links = {
    agent: (agent) => {
      // members of a crowd have no page of their own, but may have a view, of which the first members alone are known here
      const has = (s: Run["surfaces"][number]): boolean => (s.agent_count ?? 0) > s.agents.length || s.agents.some(([one]) => one === agent);
      const own = run.value?.people.some(([one]) => one === agent) ? undefined : run.value?.surfaces.find((s) => !s.empty && s.form === "ranking" && has(s));
      return own ? { name: "view", params: { id: id(), surface: own.name }, query: { agent } } : { name: "agent", params: { id: id(), agent } };
    },
    question: (place) => ({ name: "question", params: { id: id(), place } }),
    cite: (cite) => ({
      name: "source",
      params: { id: id(), world: cite.world || worldOf(run.value), chunk: cite.chunk },
      query: { start: String(cite.start), end: String(cite.end) },
    }),
    ref(ref) {
      if (ref.to === "agent") return links.agent(ref.id);
      if (ref.to === "question") return links.question(ref.id);
      if (ref.to === "claim") return view("graph", ref.id);
      if (ref.to === "entry") return view("timeline", ref.id) ?? view("dialogue", ref.id);
      if (ref.to === "run") return { name: "run", params: { id: ref.id } };
      if (ref.to === "chunk")
        return { name: "source", params: { id: id(), world: worldOf(run.value), chunk: ref.id } };
      return null;
    },
  };
  return links;
}
