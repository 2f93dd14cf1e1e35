/** Where data comes from: the server over HTTP, or the blocks and scripts of an exported run. Nothing else knows which. */

export type Query = Record<string, string | number | readonly string[] | null | undefined>;

/** Whether this page is an exported run: no server, so no live steps, questions or chat. */
export const still = __STILL__;

export class SourceError extends Error {
  constructor(message: string, readonly status = 0) {
    super(message);
  }
}

/** Join parts into an API path, each encoded. */
export function path(...parts: string[]): string {
  return parts.map(encodeURIComponent).join("/");
}

function queryText(query: Query): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) said.append(name, one);
    else if (value !== null && value !== undefined && value !== "") said.set(name, String(value));
  }
  const text = said.toString();
  return text ? `?${text}` : "";
}

/** Get the JSON of a path; equal paths asked for at once share one request. */
export function get<T>(where: string, query: Query = {}): Promise<T> {
  const key = where + queryText(query);
  let asked = pending.get(key);
  if (!asked) {
    asked = (still ? take(key) : fetchJson(key)).finally(() => pending.delete(key));
    pending.set(key, asked);
  }
  return asked as Promise<T>;
}
const pending = new Map<string, Promise<unknown>>();

/** Wait until what the page asks for at first has come. */
export async function afterOthers(): Promise<void> {
  await new Promise((done) => setTimeout(done, 50));
  await Promise.allSettled(pending.values());
}

/** Ask the server, with the header that no image or form of another page can send; again where it is busy. */
async function fetchJson(key: string, init?: RequestInit): Promise<unknown> {
  let answer: Response;
  const headers = { "X-Openiir": "1", ...init?.headers };
  try {
    answer = await fetch(`api/${key}`, { credentials: "same-origin", ...init, headers });
  } catch {
    throw new SourceError("The server does not answer. Is `openiir serve` still running?");
  }
  const pause = Number(answer.headers.get("Retry-After"));
  if (answer.status === 503 && pause > 0 && !init) {
    await new Promise((done) => setTimeout(done, 1000 * pause));
    return fetchJson(key);
  }
  if (answer.status === 204) return null;
  if (answer.ok) return answer.json();
  let said = "";
  try {
    const body = await answer.json();
    said = typeof body.detail === "string" ? body.detail : JSON.stringify(body.detail ?? body);
  } catch {
    said = answer.statusText;
  }
  throw new SourceError(said || `The server answered ${answer.status}.`, answer.status);
}

/** Send JSON to the server. */
export function post<T>(where: string, body: unknown): Promise<T> {
  return fetchJson(where, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }) as Promise<T>;
}

/** Hand in the start-up token for a cookie. */
export async function handInToken(token: string): Promise<void> {
  if (!still) await post("token", { token });
}

/** Follow the events of a run, or without one of the list of runs, until the function returned is called. */
export function follow(run: string | null, heard: Record<string, (data: any) => void>, opened?: () => void): () => void {
  if (still) return () => undefined;
  const stream = new EventSource(`api/${run === null ? "stream" : path("runs", run, "stream")}`);
  if (opened) stream.addEventListener("open", opened);
  for (const [name, tell] of Object.entries(heard))
    stream.addEventListener(name, (event) => tell(JSON.parse((event as MessageEvent<string>).data)));
  return () => stream.close();
}

async function take(key: string): Promise<unknown> {
  const found = await (await import("./still")).take(key);
  if (found === undefined) throw new SourceError("This is not part of the exported file.", 404);
  return found;
}
