// What the worker is asked, and what it answers: the types of the crate `web`. Places are offsets in UTF-16 units.

export type Range = [number, number];

export interface About {
  version: string;
  targets: string[];
  presets: { name: string; language: string | null }[];
  passes: string[];
  languages: { id: string; name: string; extensions: string[] }[];
}
export interface Opened { language: string; hasDeviceCode: boolean }
export interface Hint { at: number; parts: { text: string; to: Range | null; namesLine: boolean }[]; tooltip: string }
export interface Place { range: Range; text: string }
export interface Finding {
  code: string;
  severity: 'error' | 'warning' | 'info' | 'hint';
  range: Range;
  message: string;
  help: string | null;
  related: Place[];
  unnecessary: boolean;
}
export interface FunctionAt { name: string; range: Range; selection: Range; isKernel: boolean }
export interface Hover { range: Range; markdown: string }
export interface Edit { from: number; to: number; insert: string }
export interface Action {
  title: string;
  kind: 'fix' | 'extract' | 'inline' | 'fix-all';
  preferred: boolean;
  disabled: string | null;
  edits: Edit[];
}
export interface Explanation {
  range: Range;
  text: string;
  type: string;
  decision: string | null;
  binding: string | null;
  cost: number | null;
  saved: number | null;
  reasons: string[];
  known: string[];
  places: Range[];
}
export interface Explained {
  what: Explanation | null;
  hover: Hover | null;
  findings: { code: string; range: Range; message: string; related: Place[]; fix: string | null }[];
}
export interface Plan { function: string; hints: Hint[] }
export interface LineFacts { range: Range; text: string; facts: [string, string][] }
export interface Passes {
  function: string;
  before: string;
  stages: { pass: string; text: string; changed: boolean; notes: string[] }[];
}
export interface DeviceCode {
  text: string;
  language: string;
  function: string;
  notes: string[];
  lines: [number, number][];
  shared: { line: number; places: number[]; text: string }[];
}
export interface Completions {
  from: number;
  items: { label: string; kind: string; detail: string | null }[];
  incomplete: boolean;
}
export interface Mentions { definition: Range | null; all: Range[] }

/** The answer to each question. */
export interface Answers {
  about: About;
  open: Opened;
  hints: Hint[];
  findings: Finding[];
  tokens: [number, number, string][];
  functions: FunctionAt[];
  hover: Hover | null;
  actions: Action[];
  explain: Explained;
  plan: Plan | null;
  facts: LineFacts[];
  passes: Passes | null;
  'device-code': DeviceCode | null;
  completions: Completions | null;
  mentions: Mentions;
}
export type Ask = keyof Answers;
export type Request<A extends Ask = Ask> = { ask: A } & Record<string, unknown>;

/** What the worker says of itself and of a request. */
export type Reply =
  | { id: number; answer: unknown }
  | { id: number; error: string }
  | { id: number; trap: string };
