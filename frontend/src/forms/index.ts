/** The forms by name, each loaded when first shown; an unknown one is shown as JSON. */
import type { Component } from "vue";

import type { Table } from "../types";

export interface FormModule {
  default: Component;
  /** The list of the body that the server cuts into pages. */
  part?: string;
  /** Whether pages are loaded as they come into sight; otherwise all are loaded at once. */
  lazy?: boolean;
  /** One sentence that says what there is to see. */
  summary: (body: any, total: number) => string;
  /** The same as a table. */
  table: (body: any) => Table;
  /** The picture as SVG, where the form is not drawn as SVG on the page. */
  svg?: (body: any) => string;
  /** What is left up to a step, where the body says when each of its parts came. */
  until?: (body: any, step: number) => any;
  /** What belongs to one agent, by id. */
  only?: (body: any, agent: string) => any;
}

/** What every form is given. */
export interface FormProps<Body> {
  body: Body;
  total: number;
  /** Text that is looked for. */
  find: string;
  /** Id of the part that the address points to. */
  focus: string;
  /** Only the first parts and no tools: a look at a view on the overview. */
  brief?: boolean;
}

const FORMS: Record<string, () => Promise<unknown>> = {
  timeline: () => import("./Timeline.vue"),
  dialogue: () => import("./Dialogue.vue"),
  tree: () => import("./Tree.vue"),
  graph: () => import("./Graph.vue"),
  series: () => import("./Series.vue"),
  table: () => import("./Table.vue"),
  matrix: () => import("./Matrix.vue"),
  distribution: () => import("./Distribution.vue"),
  ranking: () => import("./Ranking.vue"),
  cards: () => import("./Cards.vue"),
  report: () => import("./Report.vue"),
};

/** Load a form. */
export async function formOf(name: string): Promise<FormModule> {
  return (await (FORMS[name] ?? (() => import("./Unknown.vue")))()) as FormModule;
}

/** A table from names and rows. */
export function tableOf(names: string[], rows: Table["rows"]): Table {
  const columns = names.map((name) => ({ name, kind: null, unit: "", help: "", of: "", bound: "" as const }));
  return { columns, rows, sort: "" };
}
