/** Texts of a run that hold some words: found by the server, or here in what an exported run holds. */
import type { RouteLocationRaw } from "vue-router";

import { searchHere } from "./search-here";
import { get, path, still } from "./source";
import type { Hit, Hits, Run } from "./types";

export function search(run: Run, words: string, after: string): Promise<Hits> {
  return still ? searchHere(run, words, after) : get<Hits>(path("runs", run.id, "search"), { q: words, after });
}

/** Where a text is shown: in a timeline at its place, or on the page of what it belongs to. */
export function placeOf(run: Run, hit: Hit): RouteLocationRaw | null {
  const id = run.id;
  if (hit.view) return { name: "view", params: { id, surface: hit.view }, query: { focus: `@${hit.place}` } };
  if (hit.kind === "question") return { name: "question", params: { id, place: hit.ref } };
  if (hit.kind === "source") {
    const [world, ...chunk] = hit.ref.split("/");
    return { name: "source", params: { id, world: world!, chunk: chunk.join("/") } };
  }
  const graph = run.surfaces.find((s) => s.form === "graph" && !s.empty);
  if (hit.kind === "claim" && graph) return { name: "view", params: { id, surface: graph.name }, query: { focus: hit.ref } };
  return hit.actor && run.people.some(([one]) => one === hit.actor) ? { name: "agent", params: { id, agent: hit.actor } } : null;
}
