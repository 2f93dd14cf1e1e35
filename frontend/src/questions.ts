/** Questions of a run, narrowed by the server, or here where an exported run holds one list. */
import { get, path, still, type SourceError } from "./source";
import type { QuestionPage, Questions } from "./types";
import { plain } from "./words";

/** A question's page; of an exported run that lacks it, what the list tells. */
export async function getQuestion(run: string, place: string): Promise<QuestionPage> {
  try {
    return readQuestion(await get<QuestionPage>(path("runs", run, "questions", place)));
  } catch (problem) {
    const card = still && (problem as SourceError).status === 404 && (await listQuestions(run, {})).questions.find((one) => one.place === place);
    if (!card) throw problem;
    return { ...card, absent: true, messages: [], schema: null, replies: [], shadow: null, restored: false };
  }
}

export interface Narrowed { asker?: string; kind?: string; step?: string | number; after?: string | null }

export async function listQuestions(run: string, narrowed: Narrowed): Promise<Questions> {
  const where = path("runs", run, "questions");
  if (!still) return get<Questions>(where, { ...narrowed });
  const all = [];
  for (let after: string | null = "0"; after !== null; ) {
    const page: Questions = await get<Questions>(where, { after });
    all.push(...page.questions);
    after = page.next;
  }
  const { asker, kind, step } = narrowed;
  const kept = all.filter((q) => (!asker || q.asker === asker) && (!kind || q.kind === kind) && (step === undefined || step === "" || q.step === Number(step)));
  return { questions: kept, next: null, total: kept.length };
}

/** Messages and schema of a question: as given, or taken from the request's body as it was sent. */
export function readQuestion(found: QuestionPage & { sent?: Sent | null }): QuestionPage {
  const text = (content: unknown): string => {
    if (!Array.isArray(content)) return plain(content);
    return content.map((part) => (part && typeof part === "object" && "text" in part ? String(part.text) : "[not a text]")).join("\n");
  };
  const messages = found.messages ?? found.sent?.messages?.map((m) => ({ role: m.role, text: text(m.content) })) ?? [];
  const schema = found.schema ?? found.sent?.response_format?.json_schema?.schema ?? null;
  return { ...found, messages, schema, shadow: found.shadow ?? null, restored: found.restored ?? false, replies: found.replies ?? [] };
}

interface Sent {
  messages?: { role: string; content: unknown }[];
  response_format?: { json_schema?: { schema?: unknown } };
}
