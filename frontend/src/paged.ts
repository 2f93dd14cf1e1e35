/** A view of a run, its pages loaded as they are needed. */
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from "vue";

import { formOf, type FormModule } from "./forms";
import { get, path, SourceError, still, type Query } from "./source";
import type { Page } from "./types";

/** What is wanted: a surface without a name is empty, and nothing is loaded. */
export interface Wanted {
  run: string;
  surface: string;
  agent: string;
  until: number | null;
  live: string;
  /** Whether the beginning of a long view will do until all of it was read. */
  beginning: boolean;
}

export interface Paged {
  form: ShallowRef<FormModule | undefined>;
  page: ShallowRef<Page | undefined>;
  body: ComputedRef<any>;
  total: ComputedRef<number>;
  error: Ref<string>;
  waiting: Ref<boolean>;
  /** What the export cannot narrow: "step", "agent" or nothing. */
  whole: Ref<string>;
  need: (first: number, last: number) => Promise<void>;
  placeOf: (step: number) => Promise<number>;
  refresh: () => Promise<void>;
}

/** Parts of a view that is not shown lazily: beyond them the page says that there are more. */
const MOST = 10_000;

export function usePaged(wanted: () => Wanted): Paged {
  const form = shallowRef<FormModule>();
  const page = shallowRef<Page>();
  const raw = shallowRef<any>();
  const error = ref("");
  const waiting = ref(false);
  const whole = ref("");
  const onlyHere = ref("");
  const asked = new Set<number>();
  let size = 500;
  let turn = 0;

  function fetchPage(after: string, more: Query = {}): Promise<Page> {
    const { run, surface, agent, until } = wanted();
    const query = { agent: onlyHere.value ? "" : agent, after, until: still ? null : until, ...more };
    return get<Page>(path("runs", run, "surfaces", surface), query);
  }

  async function firstPage(): Promise<Page> {
    onlyHere.value = "";
    try {
      return await fetchPage("0", !still && wanted().beginning ? { beginning: "true" } : {});
    } catch (problem) {
      if (!still || !wanted().agent || (problem as SourceError).status !== 404) throw problem;
      onlyHere.value = wanted().agent;
      return fetchPage("0");
    }
  }

  async function load(): Promise<void> {
    const mine = ++turn;
    if (!wanted().surface) return;
    waiting.value = true;
    try {
      const first = await firstPage();
      const module = await formOf(first.form);
      if (mine !== turn) return;
      form.value = module;
      show(first);
      if (first.whole === false) {
        const all = await fetchPage("0");
        if (mine !== turn) return;
        show(all);
      }
      if (module.part && (!module.lazy || needsAll())) await need(0, Math.min(page.value!.total, MOST) - 1);
    } catch (problem) {
      if (mine === turn) error.value = (problem as Error).message;
    } finally {
      if (mine === turn) waiting.value = false;
    }
  }

  function show(first: Page): void {
    const part = form.value!.part;
    asked.clear();
    size = Number(first.next) || Math.max(first.total, 1);
    page.value = first;
    raw.value = part ? spread(first, part) : first.body;
    error.value = "";
  }

  const needsAll = (): boolean => still && (wanted().until !== null || !!onlyHere.value);

  function spread(first: Page, part: string): any {
    const list = [...first.body[part]];
    list.length = first.total;
    asked.add(0);
    return { ...first.body, [part]: list };
  }

  async function need(first: number, last: number): Promise<void> {
    const part = form.value?.part;
    const mine = turn;
    if (!part || !page.value) return;
    for (let n = Math.floor(first / size); n <= Math.floor(last / size); n++) {
      if (n * size >= page.value.total || asked.has(n)) continue;
      asked.add(n);
      try {
        const found = await fetchPage(String(n * size));
        if (mine !== turn) return;
        const list = raw.value[part].slice();
        found.body[part].forEach((one: unknown, at: number) => (list[n * size + at] = one));
        raw.value = { ...raw.value, [part]: list };
      } catch (problem) {
        asked.delete(n);
        if (mine === turn) error.value = (problem as Error).message;
        return;
      }
    }
  }

  /** Read what a new step added to a view that only grows, or all of any other view. */
  async function refresh(): Promise<void> {
    const module = form.value;
    if (wanted().live !== "append" || !module?.part || !page.value || error.value) return load();
    const mine = turn;
    const from = page.value.total;
    const found = await fetchPage(String(from));
    if (mine !== turn) return;
    const list = raw.value[module.part].slice();
    list.length = found.total;
    found.body[module.part].forEach((one: unknown, at: number) => (list[from + at] = one));
    for (let n = Math.floor((from + found.body[module.part].length) / size); n * size < found.total; n++) asked.delete(n);
    page.value = { ...found, form: page.value.form };
    raw.value = { ...raw.value, [module.part]: list };
  }

  /** Where the entries of a step begin. */
  async function placeOf(step: number): Promise<number> {
    const part = form.value?.part;
    if (!part || !page.value) return -1;
    let known = raw.value[part].findIndex((one: { step?: number } | undefined) => one && (one.step ?? -1) >= step);
    if (known > 0 && raw.value[part][known - 1]) return known;
    if (still) {
      await need(0, page.value.total - 1);
      known = raw.value[part].findIndex((one: { step?: number }) => (one.step ?? -1) >= step);
      return known;
    }
    const found = await fetchPage("", { seek: step });
    return found.next === null ? found.total - found.body[part].length : Number(found.next) - size;
  }

  /** The body as it is shown: in an exported run narrowed here, where a server would have done it. */
  const body = computed(() => {
    const { until } = wanted();
    const module = form.value;
    if (!still || !module || !raw.value) return raw.value;
    let shown = raw.value;
    whole.value = "";
    if (onlyHere.value) {
      if (module.only) shown = module.only(shown, onlyHere.value);
      else whole.value = "agent";
    }
    if (until !== null) {
      if (module.until) shown = module.until(shown, until);
      else whole.value = "step";
    }
    return shown;
  });
  const total = computed(() => {
    const part = form.value?.part;
    return still && part && body.value !== raw.value ? body.value[part].length : (page.value?.total ?? 0);
  });

  watch(() => { const w = wanted(); return [w.run, w.surface, w.agent, w.until].join("\n"); }, (now, before) => {
    const [run, surface, agent] = now.split("\n");
    const [oldRun, oldSurface, oldAgent] = (before ?? "").split("\n");
    if (run !== oldRun || surface !== oldSurface || agent !== oldAgent) page.value = raw.value = form.value = undefined;
    else if (still) return needsAll() ? void need(0, (page.value?.total ?? 0) - 1) : undefined;
    void load();
  }, { immediate: true });

  return { form, page, body, total, error, waiting, whole, need, placeOf, refresh };
}
