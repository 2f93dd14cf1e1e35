/** Numbers and things as words. */
import type { Cell } from "./types";

/** A number with as many digits as one reads. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size < 0.001) return value.toExponential(1);
  return String(+value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3));
}

export function cell(value: Cell, kind?: string | null): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return kind === "share" ? `${+(value * 100).toFixed(1)} %` : number(value);
  return value;
}

/** "3 entries", "1 entry". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** A list in a sentence, cut after a few. */
export function list(names: readonly string[], most = 4): string {
  if (names.length <= most) return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** How long ago an ISO time is. */
export function ago(time: string | null): string {
  if (!time) return "";
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return time;
  if (seconds < 90) return "just now";
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return new Date(time).toISOString().slice(0, 10);
}

/** Any value as text: JSON where it is not text already. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** A value in a few words: long ones are cut. */
export function brief(value: unknown, most = 48): string {
  const text = plain(value).replace(/\s+/g, " ");
  return text.length > most ? `${text.slice(0, most - 2)} …` : text;
}

/** The part of a content hash that one reads. */
export function short(hash: string): string {
  return hash.replace("sha256:", "").slice(0, 10);
}
