/** A colour and letters for everybody, the same on every page and in every chart. */

/** Colours of members, which are not those of kinds and stances. */
const COLOURS = 9;
const known = new Map<string, number>();

/** Give the members of a run their colours, in the order of the run, by id and by name. */
export function knowPeople(people: readonly [id: string, name: string][]): void {
  people.forEach(([id, name], n) => [id, name].forEach((one) => known.set(one, n % COLOURS)));
}

/** The tone of a member; undefined for anybody and anything else. */
export function toneOfMember(name: string): string | undefined {
  const n = known.get(name);
  return n === undefined ? undefined : `member-${n + 1}`;
}

export function initials(name: string): string {
  const number = /\d+$/.exec(name);
  if (number) return number[0].slice(-2);
  const words = name.split(/[\s_-]+/).filter(Boolean);
  return words.slice(0, 2).map((word) => [...word][0]!.toUpperCase()).join("");
}

/** A tone of somebody who is not known as a member, told from the name alone. */
export function toneOfName(name: string): string {
  let sum = 0;
  for (const letter of name.toLowerCase().replace(/[^a-z0-9]/g, "")) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return toneOfMember(name) ?? `member-${(sum % COLOURS) + 1}`;
}
