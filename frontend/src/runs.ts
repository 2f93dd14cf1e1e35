/** One run; a damaged one may tell nothing but its state. */
import { get, path } from "./source";
import type { Run } from "./types";

const NOTHING = {
  study: {},
  settings_left_out: false,
  surfaces: [],
  people: [],
  interviews: [],
  measures: [],
  checked: { ok: null, at: null },
  labels: [],
  progress: [],
};

/** Ids and names of all that a run has a page of. */
export function peopleOf(run: Run): [string, string][] {
  return run.people.length ? run.people : [...new Map(run.surfaces.flatMap((s) => s.agents))];
}

export async function getRun(id: string): Promise<Run> {
  return { ...NOTHING, ...(await get<Run>(path("runs", id))) };
}
