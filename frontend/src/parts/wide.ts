/** A hint at the edge of a box that is wider than the page: the class `more` while something is hidden on the right. */
import type { Directive } from "vue";

const watchers = new WeakMap<HTMLElement, ResizeObserver>();

export const vWide: Directive<HTMLElement> = {
  mounted(box) {
    const look = (): unknown => box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
    const watcher = new ResizeObserver(look);
    watchers.set(box, watcher);
    for (const one of [box, ...box.children]) watcher.observe(one);
    box.addEventListener("scroll", look, { passive: true });
  },
  unmounted: (box) => watchers.get(box)?.disconnect(),
};
