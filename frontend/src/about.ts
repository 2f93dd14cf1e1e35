/** What the server allows; in an exported run nothing can be written. */
import { shallowRef } from "vue";

import { get, still } from "./source";
import type { About } from "./types";

export const about = shallowRef<About>({ version: "", folder: "", write: false, token_needed: false });

/** Where a command finds a run or a sweep: from where the server was started, or else in its folder of runs. */
export function placeOf(id: string): string {
  return about.value.folder && about.value.folder !== "." ? `${about.value.folder}/${id}` : id;
}

/** Ask the server; the page itself says it where that does not answer. */
export async function readAbout(): Promise<void> {
  if (still) return;
  try {
    about.value = await get<About>("about");
  } catch {
    /* as above */
  }
}
