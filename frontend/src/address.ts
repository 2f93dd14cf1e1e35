/** What is chosen and typed on a page, kept in its address so that a link leads to the same. */
import { onUnmounted, ref, watch, type Ref } from "vue";
import { useRoute, useRouter } from "vue-router";

let changed: Record<string, string | undefined> = {};
let soon = 0;
/** The address written last; any other one that comes was chosen elsewhere. */
let own = "";

/** A word of the address by its name: set at once here, and in the address when nothing more was typed for a moment. */
export function inAddress(name: string): Ref<string> {
  const route = useRoute();
  const router = useRouter();
  const read = (): string => String(route.query[name] ?? "");
  const value = ref(read());
  watch(value, (now) => {
    if (now === read()) return;
    changed[name] = now || undefined;
    clearTimeout(soon);
    soon = window.setTimeout(() => {
      if (!Object.keys(changed).length) return;
      const to = { path: route.path, query: { ...route.query, ...changed } };
      changed = {};
      own = router.resolve(to).fullPath;
      void router.replace(to);
    }, 150);
  });
  watch(() => route.fullPath, (now) => {
    if (now !== own) {
      changed = {};
      clearTimeout(soon);
    }
    if (!(name in changed)) value.value = read();
  });
  onUnmounted(() => delete changed[name]);
  return value;
}
