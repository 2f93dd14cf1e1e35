/** Charts that share one cursor: those below a page that provides the place along the axis. */
import type { InjectionKey, Ref } from "vue";

export const JOINED: InjectionKey<Ref<number | null>> = Symbol("joined");
