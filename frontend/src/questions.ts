/** Questions of a run, narrowed by the server, or here where an exported run holds one list. */
import { get, path, still } from "./source";
import type { Questions } from "./types";

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
