/** The data of an exported run: packed blocks in the page, or in scripts that are added when they are asked for. */

const given = new Map<string, unknown>();
const packed = new Map<string, string>();

interface Piece { key: string; bundle: boolean; script: HTMLScriptElement }
let pieces: Piece[] | undefined;

/** The same key for the same data: without defaults, parameters in order. */
function plainKey(key: string): string {
  const [where, query = ""] = key.split("?");
  const said = new URLSearchParams(query);
  said.delete("limit");
  if (said.get("after") === "0") said.delete("after");
  said.sort();
  const text = said.toString();
  return decodeURIComponent(where!) + (text ? `?${text}` : "");
}

function allPieces(): Piece[] {
  pieces ??= [...document.querySelectorAll<HTMLScriptElement>("script[data-key], script[data-prefix]")].map((script) => {
    const key = script.dataset.key;
    return key === undefined ? { key: script.dataset.prefix!, bundle: true, script } : { key, bundle: false, script };
  });
  return pieces;
}

/** The keys of all blocks, as the export names them. */
export function blockKeys(): string[] {
  return allPieces().map((piece) => piece.key);
}

/** The packed text of a block; empty where there is none. */
export async function packedText(key: string): Promise<string> {
  const script = allPieces().find((piece) => piece.key === key)?.script;
  if (!script) return "";
  if (!script.dataset.src) return script.textContent ?? "";
  if (!packed.has(key)) await inject(script.dataset.src);
  return packed.get(key) ?? "";
}

/** Unpack the JSON of a block. */
export async function unpack<T>(base64: string): Promise<T> {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as T;
}

/** Take the data of a path of the JSON interface; undefined where the export does not have them. */
export async function take(asked: string): Promise<unknown> {
  const key = plainKey(asked);
  if (given.has(key)) return given.get(key);
  for (const piece of allPieces()) {
    if (piece.bundle ? !key.startsWith(plainKey(piece.key.replace(/#\d+$/, ""))) : plainKey(piece.key) !== key) continue;
    const found = await unpack(await packedText(piece.key));
    if (!piece.bundle) return found;
    for (const [one, value] of Object.entries(found as object)) given.set(plainKey(one), value);
    if (given.has(key)) return given.get(key);
  }
  return undefined;
}

function inject(address: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => done();
    script.onerror = () => failed(new Error(`The file ${address} of this export is missing.`));
    document.head.append(script);
  });
}

Object.assign(window, { openiirGive: (key: string, text: string) => packed.set(key, text) });
