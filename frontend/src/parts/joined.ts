/** Charts that share one cursor: those below a page that provides a key. */
import type { InjectionKey } from "vue";

export const JOINED: InjectionKey<string> = Symbol("joined");
