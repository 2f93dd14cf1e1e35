/** One run; a damaged one may tell nothing but its state. */
import { get, path } from "./source";
import type { Run } from "./types";

const NOTHING = {
  study: {},
  settings_left_out: false,
  surfaces: [],
  interviews: [],
  measures: [],
  checked: { ok: null, at: null },
  labels: [],
  progress: [],
};

export async function getRun(id: string): Promise<Run> {
  return { ...NOTHING, ...(await get<Run>(path("runs", id))) };
}
