/** A colour and letters for everybody, the same on every page. */
import { toneOf } from "./theme";

export function initials(name: string): string {
  const number = /\d+$/.exec(name);
  if (number) return number[0].slice(-2);
  const words = name.split(/[\s_-]+/).filter(Boolean);
  return words.slice(0, 2).map((word) => [...word][0]!.toUpperCase()).join("");
}

/** A tone told from the name alone, so that pages loaded in any order agree. */
export function toneOfName(name: string): string {
  let sum = 0;
  for (const letter of name.toLowerCase().replace(/[^a-z0-9]/g, "")) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return toneOf(sum % 7);
}
