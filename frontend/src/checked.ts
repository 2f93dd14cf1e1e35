/** Checks of a run's record: by the server, or of an exported run by the page itself. */
import { shallowReactive } from "vue";

import type { RecordCheck } from "./record";
import { get, path, still } from "./source";
import type { Run } from "./types";
import { count } from "./words";

/** What was found, by run. */
export const checked = shallowReactive(new Map<string, RecordCheck & { reason?: string }>());

export async function checkRun(run: Run): Promise<void> {
  const content = run.content ?? "";
  if (still) {
    checked.set(run.id, await (await import("./record")).checkRecord(run.content));
    return;
  }
  const found = await get<{ ok: boolean; reason: string; rows: Record<string, number> }>(path("runs", run.id, "check"));
  const sections = Object.entries(found.rows).map(([name, rows]) => ({ name, state: "ok" as const, note: count(rows, "row") }));
  checked.set(run.id, { content, leftOut: [], sections, pages: [], ok: found.ok, reason: found.reason });
}
