/** Search in an exported run: the texts of its record and of the passages in it, found as the server finds them. */
import { get, path } from "./source";
import { blockKeys, packedText, take, unpack } from "./still";
import type { ChunkPage, Entry, Hit, Hits, Page, Run } from "./types";

/** Words shown of a text, from some before the first one sought. */
const SHOWN = 40;
const BEFORE = 10;
const PAGE = 50;

interface Text { hit: Hit; text: string; words: string }
type Payload = Record<string, unknown>;

const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** All texts in a value, joined as the server's index joins them. */
function join(value: unknown): string {
  const found: string[] = [];
  const walk = (one: unknown): void => {
    if (typeof one === "string") one && found.push(one);
    else if (one && typeof one === "object") Object.values(one).forEach(walk);
  };
  walk(value);
  return found.join(" · ");
}

/** Rows of a section of the record; those that are left out stand as hashes. */
async function* rowsOf(section: string): AsyncGenerator<unknown[]> {
  for (let n = 1, text; (text = await packedText(`record/${section}/${n}`)); n++)
    for (const row of await unpack<unknown[]>(text)) if (Array.isArray(row)) yield row;
}
const read = (cell: unknown): Payload => (typeof cell === "string" ? (JSON.parse(cell) as Payload) : {});

/** Where timelines show events: view and place by an event's number. */
async function placesOf(run: Run): Promise<Map<number, [string, number]>> {
  const found = new Map<number, [string, number]>();
  for (const surface of run.surfaces.filter((s) => ["timeline", "dialogue"].includes(s.form) && !s.empty)) {
    let place = 0;
    for (let after: string | null = "0"; after !== null; ) {
      const page: Page = await get<Page>(path("runs", run.id, "surfaces", surface.name), { after });
      for (const one of page.body.entries as Entry[]) {
        if (one.seq && !found.has(one.seq)) found.set(one.seq, [surface.name, place]);
        place++;
      }
      after = page.next;
    }
  }
  return found;
}

async function* passagesOf(run: Run): AsyncGenerator<ChunkPage> {
  const start = `runs/${run.id}/chunks/`;
  for (const key of blockKeys().filter((one) => one.startsWith(start)))
    for (const one of Object.keys(await unpack<object>(await packedText(key)))) yield (await take(one)) as ChunkPage;
}

async function readTexts(run: Run): Promise<Text[]> {
  const texts: Text[] = [];
  const note = (text: string, kind: string, ref: string, actor = "", step = 0, [view, place]: [string, number] | [null, null] = [null, null]): void => {
    texts.push({ text, words: ` ${wordsOf(text).join(" ")} `, hit: { text: "", kind, ref, actor, step, view, place } });
  };
  for await (const [document] of rowsOf("personas")) {
    const { id, ...persona } = read(document);
    note(join(persona), "agent", String(id), String(id));
  }
  for await (const [document] of rowsOf("claims")) {
    const claim = read(document);
    note(String(claim.text), "claim", String(claim.id), String(claim.speaker ?? ""), Number(claim.step));
  }
  for await (const one of passagesOf(run)) note(one.text, "source", `${one.world}/${one.chunk}`);
  const places = await placesOf(run);
  for await (const [seq, step, , kind, actor, document] of rowsOf("events")) {
    const payload = read(document);
    const asked = kind === "asked";
    const told = asked ? [payload.question, payload.subject, payload.answerer, payload.failure] : payload;
    note(join(told), asked ? "question" : "event", String(seq), String(actor ?? ""), Number(step), asked ? undefined : places.get(Number(seq)));
  }
  return texts;
}

function shorten(text: string, sought: string): string {
  const words = text.split(/\s+/);
  const at = words.findIndex((word) => wordsOf(word).some((one) => one.startsWith(sought)));
  const from = Math.max(0, at - BEFORE);
  return `${from ? "… " : ""}${words.slice(from, from + SHOWN).join(" ")}${words.length > from + SHOWN ? " …" : ""}`;
}

let kept: { run: string; texts: Promise<Text[]> } | undefined;

/** A page of the texts found, behind the first `after` of them. */
export async function searchHere(run: Run, words: string, after: string): Promise<Hits> {
  if (kept?.run !== run.id) kept = { run: run.id, texts: readTexts(run) };
  const sought = wordsOf(words);
  const last = sought.length - 1;
  const found = (await kept.texts).filter((one) => sought.length && sought.every((word, n) => one.words.includes(n === last ? ` ${word}` : ` ${word} `)));
  const end = Number(after) + PAGE;
  const hits = found.slice(Number(after), end).map(({ hit, text }) => ({ ...hit, text: shorten(text, sought[0]!) }));
  return { hits, total: found.length, next: end < found.length ? String(end) : null };
}
