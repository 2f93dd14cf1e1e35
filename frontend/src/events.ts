/** Events of an agent: what they are, told from their kind and their fields. */
import type { AgentEvent } from "./types";

/** The fields of an event that says nothing in words; null for a text. */
export function parsed(text: string): Record<string, unknown> | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null; // cut, or not JSON
  }
}

/** What an agent did, in a word: a filter's name. */
export function deedOf(event: AgentEvent): string {
  if (event.kind === "asked") return "asked";
  if (event.kind === "lookup" || event.kind === "search") return "looked up";
  return event.text.startsWith("{") ? event.kind : "said";
}
