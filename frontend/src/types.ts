/** The JSON that the server and exports give: see openiir.plugin.forms, graph_forms and runs.views.paging. */

export interface Cite { world: string; chunk: string; start: number; end: number; label?: string }
export interface Ref { to: string; id: string; label: string }

export interface Entry {
  step: number;
  actor: string | null;
  heading: string;
  text: string;
  notes: string[];
  id: string;
  seq: number;
  lane: string;
  agent: string;
  kind: string;
  cites: Cite[];
  refs: Ref[];
  of: string;
  depth: number;
  parent: string;
  side: "" | "user" | "system";
  turn: number;
  acts: string[];
  grade: number | null;
}

export interface Timeline { entries: Entry[] }

export interface Series {
  along: string;
  unit: string;
  low: number;
  high: number;
  lines: Record<string, [number, number][]>;
  bands: Record<string, [number, number, number][]>;
  marks: { x: number; label: string }[];
}

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  kind: string | null;
  unit: string;
  help: string;
  of: string;
  bound: "" | "half" | "low" | "high";
}

export interface Table {
  columns: Column[];
  rows: Cell[][];
  sort: string;
  /** What is shown for ids in columns of kind "agent". */
  labels?: Record<string, string>;
}

export interface Matrix {
  rows: string[];
  columns: string[];
  cells: (number | null)[][];
  unit: string;
  low: number;
  high: number;
  middle: number | null;
}

export interface Distribution {
  unit: string;
  groups: Record<string, { bins: number[]; counts: number[] }>;
  quantiles: Record<string, [number, number][]>;
}

export interface Ranked { topic: string; item: string; rank: number; score: number; tag: string }
export interface Ranking { rows: Ranked[] }

export interface Card {
  id: string;
  title: string;
  text: string;
  picture: string;
  fields: Record<string, string>;
  badge: string;
}
export interface Cards { items: Card[] }

export interface Section { title: string; statements: [string, string[]][]; counter: string[][] }
export interface Report { title: string; sections: Section[] }

export interface TreeNode {
  id: string;
  parent: string;
  label: string;
  value: number | null;
  step: number;
  state: string;
  refs: Ref[];
}
export interface Tree { nodes: TreeNode[]; unit: string }

export interface NetworkNode {
  id: string;
  label: string;
  kind: string;
  group: string;
  step: number;
  weight: number | null;
  text: string;
  cites: Cite[];
  x: number | null;
  y: number | null;
}
export interface NetworkLink { source: string; target: string; kind: string; weight: number | null; step: number }
export interface Network {
  nodes: NetworkNode[];
  edges: NetworkLink[];
  kinds: Record<string, { tone: string; dash: boolean }>;
  weight_name: string;
}

export interface Page {
  form: string;
  version: number;
  title: string;
  body: any;
  total: number;
  next: string | null;
  step: number;
  whole: boolean;
  digest: string;
}

export interface About { version: string; folder: string; write: boolean; token_needed: boolean }

export type RunState = "running" | "finished" | "stopped" | "failed" | "killed" | "damaged" | "declared";

export interface RunCard {
  id: string;
  type: string;
  name: string;
  seed: number | null;
  state: RunState;
  steps: number;
  /** Most steps that the run can take; null if unknown or finished. */
  planned: number | null;
  events: number;
  calls: number;
  /** Rows of its tables, in which a type logs what its crowd does. */
  rows: number;
  content: string | null;
  started: string | null;
  heard: string | null;
  /** Who is declared to answer: "offline", "model NAME", "human" ... */
  answers: string[];
  changed: [string, unknown][];
  /** Why it is as it is, where there is something to say. */
  reason?: string;
  sweep: string | null;
}

export interface SurfaceCard {
  name: string;
  form: string;
  title: string;
  help: string;
  group: "result" | "process" | "data";
  live: "append" | "replace" | "end";
  per_agent: boolean;
  /** The first of the agents that it can be narrowed to, and how many there are. */
  agents: [string, string][];
  agent_count?: number;
  empty: string | null;
}

export interface Progress {
  lane: string;
  done: number;
  of: number;
  label: string;
  words: string;
  /** What was spent so far, told by runs of which one lane is known at a time. */
  spent?: string;
}
export interface MeasureCard { name: string; value: number | null; reason: string | null; label: string; definition: string }

export interface Run extends RunCard {
  /** What its type is, in a sentence. */
  about?: string;
  study: Record<string, unknown>;
  surfaces: SurfaceCard[];
  interviews: { name: string; title: string }[];
  measures: MeasureCard[];
  checked: { ok: boolean | null };
  labels: [number, string][];
  progress: Progress[];
  /** Ids and names of the personas. */
  people: [string, string][];
  /** What was left out of an export. */
  left_out?: string[];
}

export interface AgentEvent { seq: number; step: number; kind: string; text: string }

export interface AgentPage {
  persona: Record<string, unknown>;
  events: AgentEvent[];
  next: string | null;
  asked: number;
  debits: number;
  tokens: number | null;
  /** Names of the views that can be narrowed to the agent. */
  views?: string[];
}

export interface QuestionCard {
  place: string;
  asker: string | null;
  kind: string;
  /** What tells it from others of its kind. */
  about: string;
  step: number;
  subject: string;
  answerer: string | null;
  outcome: string | null;
  attempts: number;
}
export interface Questions { questions: QuestionCard[]; next: string | null; total: number }

/** A text that was found; `view` and `place` say where a timeline shows it. */
export interface Hit { text: string; kind: string; ref: string; actor: string; step: number; view: string | null; place: number | null }
export interface Hits { hits: Hit[]; total: number; next: string | null }

export interface Message { role: string; text: string }
export interface QuestionPage {
  place: string;
  asker: string | null;
  kind: string;
  step: number;
  answerer: string | null;
  messages: Message[];
  schema: unknown;
  replies: { reply: unknown; reasoning?: string; usable: boolean; error: string | null; attempt: number }[];
  shadow: { messages: Message[]; reply: unknown } | null;
  restored: boolean;
  /** World and chunk of the passages that the prompt lists as [1], [2] ... */
  passages?: Record<string, [string, string]>;
  outcome?: string | null;
  /** Whether an exported run holds only what the list of questions tells. */
  absent?: boolean;
}

export interface ChunkPage {
  world: string;
  chunk: string;
  source: string;
  text: string;
  before: string;
  after: string;
  cited: { start: number; end: number; entry: string; speaker?: string }[];
}

/** A measure in one arm, or at one seed of a single arm, with its difference from the baseline. */
export interface ComparedLine {
  arm: string;
  value: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  /** Why p and the interval disagree, where they do. */
  note: string;
  reason: string | null;
}
export interface Arm { id: string; name: string; runs: { id: string; seed: number }[] }
export interface Comparison {
  arms: Arm[];
  /** Id of the arm that the others are compared with. */
  baseline: string;
  /** Whether there is a single arm, so that lines are seeds. */
  by_seed: boolean;
  /** Whether differences are paired by seed and tested. */
  paired: boolean;
  warnings: string[];
  measures: { name: string; lines: ComparedLine[] }[];
}

/** An agent's answer after the run, with the prompt that it was given. */
export interface Told {
  agent: string;
  name: string;
  answer: string | null;
  by: string;
  failure: string | null;
  prompt: Message[];
}
export interface StoredInterview {
  agent: string;
  name: string;
  question: string;
  reply: string | null;
  answerer: string;
  thread: string;
  given: string;
  prompt: Message[];
}

export type Verdict = "agree" | "disagree" | "unsure";
export interface GivenVerdict { agent: string; statement: string; verdict: Verdict; comment: string; person: string; given: string }
export interface JudgedStatement { id: string; text: string; verdicts: GivenVerdict[] }
export interface Validations {
  statements: JudgedStatement[];
  agreement: { statements: number; people: number; agree: number; disagree: number; unsure: number; shared: number; same: number | null };
  /** Ids of agents with a verdict; empty for the reports. */
  judged: string[];
}

export interface Lookup {
  weight: number;
  embedder: string;
  hits: { world: string; chunk: string; source: string; text: string; bm25: number | null; cosine: number | null; score: number }[];
}
