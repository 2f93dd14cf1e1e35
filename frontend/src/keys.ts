/** Keys of the whole app: components add theirs while they are shown, and `?` lists them all. */
import { onMounted, onUnmounted, shallowReactive } from "vue";

export interface Key { key: string; help: string; act: () => void }

/** Keys in force, the newest first; two-letter keys are typed one after the other. */
export const keys = shallowReactive<Key[]>([]);

/** Add keys while the component is shown. */
export function useKeys(...mine: Key[]): void {
  onMounted(() => keys.unshift(...mine));
  onUnmounted(() => mine.forEach((key) => keys.splice(keys.indexOf(key), 1)));
}

let first = "";
let typed = 0;

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest("input:not([type=checkbox], [type=range]), textarea, select, [contenteditable]")) {
    if (event.key === "Escape") target.blur();
    return;
  }
  const pressed = first && Date.now() - typed < 1500 ? `${first} ${event.key}` : event.key;
  first = "";
  const found = keys.find((key) => key.key === pressed);
  if (found) {
    event.preventDefault();
    found.act();
  } else if (event.key === "g") {
    first = "g";
    typed = Date.now();
  }
}

window.addEventListener("keydown", onKey);

/** Give each name a letter of its own, its first free one. */
export function letters(names: readonly string[], taken = ""): Record<string, string> {
  const used = new Set(taken);
  const found: Record<string, string> = {};
  for (const name of names) {
    const letter = [...name.toLowerCase(), ..."abcdefghijklmnopqrstuvwxyz"].find((l) => /[a-z]/.test(l) && !used.has(l));
    if (!letter) continue;
    used.add(letter);
    found[name] = letter;
  }
  return found;
}
