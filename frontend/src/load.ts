/** A value that is loaded again when what it depends on changes; late answers to earlier requests are dropped. */
import { ref, shallowRef, watch, type Ref, type ShallowRef, type WatchSource } from "vue";

export interface Loaded<T> {
  value: ShallowRef<T | undefined>;
  error: Ref<string>;
  waiting: Ref<boolean>;
  again: () => Promise<void>;
}

export function useLoaded<T>(sources: WatchSource<unknown> | WatchSource<unknown>[], load: () => Promise<T>): Loaded<T> {
  const value = shallowRef<T>();
  const error = ref("");
  const waiting = ref(false);
  let asked = 0;
  async function again(): Promise<void> {
    const mine = ++asked;
    waiting.value = true;
    try {
      const found = await load();
      if (mine !== asked) return;
      value.value = found;
      error.value = "";
    } catch (problem) {
      if (mine === asked) error.value = (problem as Error).message;
    }
    if (mine === asked) waiting.value = false;
  }
  watch(sources, again, { immediate: true });
  return { value, error, waiting, again };
}
