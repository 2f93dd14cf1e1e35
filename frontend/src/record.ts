/** Checks the record of an exported run against the content hash that it names, as `openiir verify` does. */
import { hex, sha256 } from "./sha256";
import { blockKeys, packedText, unpack } from "./still";
import { count } from "./words";

type Cell = string | number | null | { number: string } | { sha256: string };
type Row = string | Cell[];
interface Head {
  content: string;
  recipe: number;
  sections: Record<string, string>;
  left_out: string[];
  blocks: Record<string, string>;
}
export interface CheckedPart { name: string; state: "ok" | "changed" | "not checked"; note: string }
export interface RecordCheck { content: string; leftOut: string[]; sections: CheckedPart[]; pages: CheckedPart[]; ok: boolean }

const SECTIONS = ["study", "personas", "chunks", "searches", "calls", "events", "claims", "edges", "tables"];
const LONG = 256;
const utf8 = new TextEncoder();
const digest = (text: string): string => hex(sha256(utf8.encode(text)));

/** The number of characters as Python counts them. */
const letters = (text: string): number => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

function spell(cell: Cell, recipe: number): string {
  if (typeof cell === "string") return recipe > 1 && letters(cell) > LONG ? `{"sha256":"${digest(cell)}"}` : JSON.stringify(cell);
  if (cell !== null && typeof cell === "object") return "number" in cell ? cell.number : `{"sha256":"${cell.sha256}"}`;
  return String(cell);
}

/** Chain pieces, each of up to 32 bytes of a row's hash, or of a row with its length (recipe 1). */
function chain(rows: Row[], recipe: number): string {
  const parts = rows.map((row) => {
    if (typeof row === "string") return Uint8Array.from(row.match(/../g) ?? [], (byte) => parseInt(byte, 16));
    const text = utf8.encode(`[${row.map((cell) => spell(cell, recipe)).join(",")}]`);
    if (recipe > 1) return sha256(text);
    const long = new Uint8Array(8 + text.length);
    new DataView(long.buffer).setUint32(4, text.length);
    long.set(text, 8);
    return long;
  });
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return hex(sha256(whole));
}

const isHidden = (row: Row): boolean => typeof row === "string" || row.some((cell) => cell !== null && typeof cell === "object" && "sha256" in cell);

async function checkSection(name: string, head: Head): Promise<CheckedPart> {
  const rows: Row[] = [];
  try {
    for (let n = 1, text; (text = await packedText(`record/${name}/${n}`)); n++) rows.push(...(await unpack<Row[]>(text)));
    const hidden = rows.filter(isHidden).length;
    const note = `${count(rows.length, "row")}${hidden ? `, ${hidden.toLocaleString("en")} of them as hashes of what they hold` : ""}`;
    if (hidden && head.recipe === 1) return { name, state: "not checked", note: "recipe 1 needs the texts that are left out" };
    return { name, state: chain(rows, head.recipe) === head.sections[name] ? "ok" : "changed", note };
  } catch (error) {
    return { name, state: "changed", note: (error as Error).message };
  }
}

const KINDS = { surfaces: "views", questions: "questions", chunks: "passages", agents: "agents" };
const kindOf = (key: string): string => key.startsWith("beside/") ? "what views are made from" : Object.entries(KINDS).find(([part]) => key.includes(`/${part}`))?.[1] ?? "overview";

async function checkPages(head: Head): Promise<CheckedPart[]> {
  const found = new Map<string, { blocks: number; changed: string[] }>();
  for (const key of new Set([...Object.keys(head.blocks), ...blockKeys()])) {
    if (key.split("/")[0] === "record") continue;
    const kind = found.get(kindOf(key)) ?? { blocks: 0, changed: [] };
    found.set(kindOf(key), kind);
    kind.blocks++;
    const text = await packedText(key).catch(() => "");
    if (digest(text) !== head.blocks[key]) kind.changed.push(key);
  }
  return [...found].sort().map(([name, { blocks, changed }]) => ({
    name,
    state: changed.length ? "changed" : "ok",
    note: changed.length ? `not as exported: ${changed.join(", ")}` : `${blocks} ${blocks === 1 ? "block" : "blocks"}`,
  }));
}

/** Check everything that this export holds; `shown` is the content hash that the page shows. */
export async function checkRecord(shown: string | null): Promise<RecordCheck> {
  const head = await unpack<Head>(await packedText("record"));
  const sections: CheckedPart[] = [];
  for (const name of SECTIONS) sections.push(await checkSection(name, head));
  const named = { recipe: head.recipe, ...head.sections } as Record<string, unknown>;
  const text = `{${Object.keys(named).sort().map((key) => `${JSON.stringify(key)}:${JSON.stringify(named[key])}`).join(",")}}`;
  if (`sha256:${digest(text)}` !== head.content || (shown !== null && shown !== head.content))
    sections.push({ name: "content hash", state: "changed", note: "it is not the hash of these sections" });
  const pages = await checkPages(head);
  return { content: head.content, leftOut: head.left_out, sections, pages, ok: [...sections, ...pages].every((part) => part.state !== "changed") };
}
