/** Rows of unequal height of which only those in the window are drawn: measured as they come into sight. */
import { computed, nextTick, onMounted, onUnmounted, ref, shallowRef, watch, type ComputedRef, type Ref } from "vue";

export interface Row { index: number; start: number }

export interface Rows {
  items: ComputedRef<Row[]>;
  height: ComputedRef<number>;
  /** Watch the height of a row's element, which has its number as `data-index`. */
  measure: (element: unknown) => void;
  scrollTo: (row: number, centre?: boolean) => void;
  /** The first row that is not hidden above the window. */
  top: () => number;
}

/** Rows beyond the window that are drawn too. */
const BEYOND = 6;
/** Pixels at the window's top that something may cover. */
const COVERED = 60;

/** Sums of what the rows before each add to the estimated height: a Fenwick tree. */
class Sums {
  private readonly tree: Float64Array;
  readonly own: Float64Array;

  constructor(readonly size: number) {
    this.tree = new Float64Array(size + 1);
    this.own = new Float64Array(size);
  }

  set(row: number, value: number): number {
    const change = value - this.own[row]!;
    this.own[row] = value;
    for (let n = row + 1; n <= this.size; n += n & -n) this.tree[n]! += change;
    return change;
  }

  before(row: number): number {
    let sum = 0;
    for (let n = row; n > 0; n -= n & -n) sum += this.tree[n]!;
    return sum;
  }
}

/** Heights measured on the pages seen last, by list, page and place in the history, so that going back finds them. */
const measured = new Map<string, Map<number, number>>();
function heightsOf(list: string): Map<number, number> {
  const page = `${list} ${history.state?.position} ${location.hash.replace(/(until|focus)=[^&]*/g, "")}`;
  const heights = measured.get(page) ?? new Map<number, number>();
  measured.delete(page);
  measured.set(page, heights);
  if (measured.size > 20) measured.delete(measured.keys().next().value!);
  return heights;
}

/** Draw `count` rows below the place, scrolled with the window; heights are kept by the key of a row, and those of a list with a name also when it is left. */
export function useRows(place: Ref<HTMLElement | undefined>, count: Ref<number>, estimate: number, keyOf: (row: number) => number, list = ""): Rows {
  const heights = list ? heightsOf(list) : new Map<number, number>();
  const sums = shallowRef(new Sums(0));
  const changed = ref(0);
  const view = ref({ top: 0, height: window.innerHeight });

  function rebuild(): void {
    const next = new Sums(count.value);
    for (let row = 0; row < next.size; row++) {
      const known = heights.get(keyOf(row));
      if (known !== undefined) next.set(row, known - estimate);
    }
    sums.value = next;
  }
  watch([count, () => keyOf(0), () => keyOf(count.value >> 1), () => keyOf(count.value - 1)], rebuild, { immediate: true });

  const startOf = (row: number): number => row * estimate + sums.value.before(row);
  const height = computed(() => {
    void changed.value;
    return startOf(sums.value.size);
  });
  function rowAt(offset: number): number {
    let [low, high] = [0, Math.max(0, sums.value.size - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  const items = computed<Row[]>(() => {
    void changed.value;
    const size = sums.value.size;
    if (!size) return [];
    const first = Math.max(0, rowAt(view.value.top) - BEYOND);
    const last = Math.min(size - 1, rowAt(view.value.top + view.value.height) + BEYOND);
    return Array.from({ length: last - first + 1 }, (_, n) => ({ index: first + n, start: startOf(first + n) }));
  });

  function look(): void {
    if (place.value) view.value = { top: -place.value.getBoundingClientRect().top, height: window.innerHeight };
  }
  const watcher = new ResizeObserver((seen) => {
    let moved = 0;
    let any = false;
    for (const { target } of seen) {
      if (!target.isConnected) {
        watcher.unobserve(target);
        continue;
      }
      const row = Number((target as HTMLElement).dataset.index);
      const tall = (target as HTMLElement).offsetHeight;
      if (row >= sums.value.size || heights.get(keyOf(row)) === tall) continue;
      heights.set(keyOf(row), tall);
      const above = startOf(row) < view.value.top;
      const change = sums.value.set(row, tall - estimate);
      any ||= change !== 0;
      if (above) moved += change;
    }
    if (!any) return;
    changed.value++;
    if (moved) void nextTick(() => window.scrollBy(0, moved)); // what one reads stays where it is
  });
  const body = new ResizeObserver(look);
  onMounted(() => {
    look();
    body.observe(document.body);
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
  });
  onUnmounted(() => {
    watcher.disconnect();
    body.disconnect();
    window.removeEventListener("scroll", look);
    window.removeEventListener("resize", look);
  });

  /** Scroll, and again after the rows that came into sight were measured. */
  function scrollTo(row: number, centre = false, again = 4): void {
    if (!place.value || row < 0 || row >= sums.value.size) return;
    const [start, end] = [startOf(row), startOf(row + 1)];
    const top = -place.value.getBoundingClientRect().top;
    const tall = window.innerHeight;
    let to = top;
    if (centre) to = start - Math.max(COVERED, (tall - (end - start)) / 2);
    else if (start < top + COVERED) to = start - COVERED;
    else if (end > top + tall) to = Math.min(start - COVERED, end - tall + 8);
    if (Math.abs(to - top) > 1) window.scrollBy({ top: to - top, behavior: "instant" });
    look();
    if (again) requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(row, centre, again - 1)));
  }

  return {
    items,
    height,
    measure: (element) => element instanceof HTMLElement && watcher.observe(element),
    scrollTo,
    top: () => rowAt(view.value.top + COVERED),
  };
}
