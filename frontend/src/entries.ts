/** Entries of a run's timelines, found by what they stand for. */
import { get, path, still } from "./source";
import type { Entry, Page, Run } from "./types";

export interface FoundEntry { entry: Entry; surface: string }

/** Pages of a timeline that are looked through from the beginning of a step on. */
const MOST = 5;

/** The first entry of a step, in the timelines of a run, that fits; undefined where none does. */
export async function findEntry(run: Run, step: number, fits: (entry: Entry) => boolean): Promise<FoundEntry | undefined> {
  for (const surface of run.surfaces.filter((s) => ["timeline", "dialogue"].includes(s.form) && !s.empty)) {
    let query: Record<string, string | number> = still ? { after: "0" } : { seek: step };
    for (let n = 0; n < MOST || still; n++) {
      const page: Page = await get<Page>(path("runs", run.id, "surfaces", surface.name), query);
      const entries = page.body.entries as Entry[];
      const entry = entries.find((one) => one.step === step && fits(one));
      if (entry) return { entry, surface: surface.name };
      if (page.next === null || (entries.at(-1)?.step ?? 0) > step) break;
      query = { after: page.next };
    }
  }
  return undefined;
}
