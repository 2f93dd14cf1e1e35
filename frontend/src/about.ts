/** What the server allows; in an exported run nothing can be written. */
import { shallowRef } from "vue";

import { get, still } from "./source";
import type { About } from "./types";

export const about = shallowRef<About>({ version: "", write: false, token_needed: false });

if (!still)
  get<About>("about").then(
    (found) => (about.value = found),
    () => undefined, // the page itself says that the server does not answer
  );
