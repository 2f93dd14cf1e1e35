/** What the server allows; in an exported run nothing can be written. */
import { shallowRef } from "vue";

import { get, still } from "./source";
import type { About } from "./types";

export const about = shallowRef<About>({ version: "", write: false, token_needed: false });

/** Ask the server; the page itself says it where that does not answer. */
export async function readAbout(): Promise<void> {
  if (still) return;
  try {
    about.value = await get<About>("about");
  } catch {
    /* as above */
  }
}
