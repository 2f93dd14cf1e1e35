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

/** How many digits after the point numbers of one column need, so that their points stand below each other. */
export function digitsOf(values: readonly (number | null)[]): number {
  const sizes = values.flatMap((value) => (value === null || Number.isInteger(value) ? [] : [Math.abs(value)]));
  if (!sizes.length) return 0;
  const most = Math.max(...values.map((value) => Math.abs(value ?? 0)));
  return most >= 1000 ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : 3;
}

/** A number with a given number of digits after the point; small ones keep their size. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value && digits && Math.abs(value) < 0.5 * 10 ** -digits) return number(value);
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function cell(value: Cell, kind?: string | null, digits?: number): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    if (kind === "share") return `${(value * 100).toFixed(1)} %`;
    return digits === undefined ? number(value) : fixed(value, digits);
  }
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

/** Steps so far, of those that a run can take at most. */
export function stepsOf(steps: number, planned: number | null): string {
  return planned ? `${steps} of at most ${planned}` : String(steps);
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

/** A value of one field in words; of a fraction as many digits as are meant, not those of its binary form. */
export function figure(value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(+value.toPrecision(5));
  return plain(value);
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
