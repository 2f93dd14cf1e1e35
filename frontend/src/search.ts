/** Texts of a run that hold some words: found by the server, or here in what an exported run holds. */
import type { RouteLocationRaw } from "vue-router";

import { get, path, still } from "./source";
import type { AgentPage, Entry, Hit, Hits, Page, Questions, Run } from "./types";

const SHOWN = 300;

/** What is looked for: words, and if need be one kind of text, or those of one agent. */
export interface Sought { q: string; kind: string; agent: string }

export function search(run: Run, sought: Sought, after: string): Promise<Hits> {
  return still ? searchHere(run, sought) : get<Hits>(path("runs", run.id, "search"), { ...sought, after });
}

/** Where a text is shown: in a timeline at its place, or on the page of what it belongs to. */
export function placeOf(run: Run, hit: Hit): RouteLocationRaw | null {
  const id = run.id;
  if (hit.view) return { name: "view", params: { id, surface: hit.view }, query: { focus: `@${hit.place}` } };
  if (hit.kind === "question") return { name: "question", params: { id, place: hit.ref } };
  if (hit.kind === "source") {
    const [world, ...chunk] = hit.ref.split("/");
    return { name: "source", params: { id, world: world!, chunk: chunk.join("/") } };
  }
  const graph = run.surfaces.find((s) => s.form === "graph" && !s.empty);
  if (hit.kind === "claim" && graph) return { name: "view", params: { id, surface: graph.name }, query: { focus: hit.ref } };
  return hit.actor && run.people.some(([one]) => one === hit.actor) ? { name: "agent", params: { id, agent: hit.actor } } : null;
}

async function* pages<T extends { next: string | null }>(where: string): AsyncGenerator<T> {
  for (let after: string | null = "0"; after !== null; ) {
    const page: T = await get<T>(where, { after });
    yield page;
    after = page.next;
  }
}

async function searchHere(run: Run, { q, kind, agent: only }: Sought): Promise<Hits> {
  const sought = q.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const hits: Hit[] = [];
  const note = (text: string, rest: Omit<Hit, "text">): void => {
    const plain = text.toLowerCase();
    if ((kind && rest.kind !== kind) || (only && rest.actor !== only)) return;
    if (!sought.length || !sought.every((word) => plain.includes(word))) return;
    const from = Math.max(0, plain.indexOf(sought[0]!) - SHOWN / 3);
    hits.push({ ...rest, text: text.slice(from, from + SHOWN) });
  };
  for (const [agent] of run.people) {
    const { persona } = await get<AgentPage>(path("runs", run.id, "agents", agent), { after: "0" });
    note(JSON.stringify(Object.values(persona)), { kind: "agent", ref: agent, actor: agent, step: 0, view: null, place: null });
  }
  for (const surface of run.surfaces.filter((s) => ["timeline", "dialogue"].includes(s.form) && !s.empty)) {
    let place = 0;
    for await (const page of pages<Page>(path("runs", run.id, "surfaces", surface.name)))
      for (const one of page.body.entries as Entry[])
        note([one.heading, one.text, ...one.notes].join(" · "), { kind: "event", ref: String(one.seq), actor: one.agent, step: one.step, view: surface.name, place: place++ });
  }
  for await (const page of pages<Questions>(path("runs", run.id, "questions")))
    for (const one of page.questions)
      note(`${one.kind} · ${one.subject}`, { kind: "question", ref: one.place, actor: one.asker ?? "", step: one.step, view: null, place: null });
  return { hits, total: hits.length, next: null };
}
