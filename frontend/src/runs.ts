/** One run; a damaged one may tell nothing but its state. */
import { shallowReactive } from "vue";

import { knowPeople } from "./people";
import { afterOthers, get, path } from "./source";
import type { MeasureCard, Run } from "./types";
import { count, list } from "./words";

/** Fewest steps among which choosing one tells anything. */
export const FEWEST_STEPS = 4;

/** Whether nearly all of a run is in its tables, so that its few events say nothing of its size. */
export const logsTables = (run: { rows: number; events: number; steps: number }): boolean => run.rows > 0 && run.events < run.steps;

const NOTHING = {
  study: {},
  surfaces: [],
  people: [],
  interviews: [],
  checked: { ok: null },
  labels: [],
  progress: [],
};

/** Ids and names of all that a run has a page of. */
export function peopleOf(run: Run): [string, string][] {
  return run.people.length ? run.people : [...new Map(run.surfaces.flatMap((s) => s.agents))];
}

/** The name of somebody by id; an id that has none stays. */
export function nameIn(run: Run, id: string | null): string {
  return peopleOf(run).find(([one]) => one === id)?.[1] || id || "the run";
}

/** Who answered, in words: what was declared, where nobody has answered yet. */
export function answeredBy(run: { answers?: string[]; calls: number; state: string }): string {
  const asked = (run.answers ?? []).filter((one) => one !== "offline");
  if (run.calls) return `${count(run.calls, "call")}${asked.length ? ` of ${list(asked)}` : ""}`;
  if (!asked.length) return "answered offline";
  return `to be answered by ${list(asked)}; ${run.state === "running" ? "no reply yet" : "no reply was recorded"}`;
}

export interface Round { name: string; from: number; to: number }

/** Spans of steps whose labels begin alike ("opening: ana"), where a run has a few of them. */
export function roundsOf(run: Run): Round[] {
  const found: Round[] = [];
  for (const [step, label] of run.labels) {
    const name = label.split(":")[0]!.trim();
    const last = found.at(-1);
    if (last?.name === name) last.to = step;
    else found.push({ name, from: step, to: step });
  }
  const several = found.filter((round) => round.to > round.from);
  return several.length > 1 && found.length <= 24 && new Set(found.map((r) => r.name)).size === found.length ? found : [];
}

export async function getRun(id: string): Promise<Run> {
  const run = await get<Run>(path("runs", id));
  const measures = shallowReactive<MeasureCard[]>(run.measures ?? []); // they may take seconds, so they come last
  if (!run.measures && run.state === "finished")
    void afterOthers().then(() => get<MeasureCard[]>(path("runs", id, "measures"))).then((found) => measures.push(...found), () => undefined);
  const found = { ...NOTHING, ...run, measures };
  knowPeople(peopleOf(found));
  return found;
}
