// Written by `cargo x gen types` from the types of crates/analysis/src/viewer/contract.rs.
import type { CaseRecord, Entry } from "./case.js";
import type { Panel } from "./panel.js";

/** A line of the file of labels. */
export type HumanLabel = { id: string; label: string; by: string; at: number; note?: string; tags?: string[] };

/** How far two agree about the outputs that both decided. */
export type Agreement = {
  who: string;
  with: string;
  is_metric: boolean;
  cases: number;
  same: number;
  kappa: number | null;
  /** Ends of the interval of kappa. */
  interval: [number, number] | null;
  words: string | null;
  /** Labels that are missing for an interval of ±0.1. */
  more: number | null;
};

/** Who was asked. */
export type CallKind = "judge" | "answer";

/** A message of a request. */
export type CallMessage = {
  role: string;
  text: string;
};

/** A case whose value changed. */
export type CaseChangeView = {
  /** Its id. */
  id: string;
  /** How its question begins, where it is known. */
  query: string | null;
  /** How many cases of the same id come before it. */
  occurrence: number;
  /** Whose output it is. */
  model: string | null;
  /** Whether it got better. */
  improved: boolean;
  /** Whether it crossed the middle. */
  flipped: boolean;
  /** From which value to which. */
  step: string;
  /** The evidence in the baseline and in the other. */
  why: Array<string>;
};

/** One case with all its outputs. */
export type CaseDetail = {
  run: RunDescription;
  settings: PageSettings;
  at: [number, number];
  id: string;
  dataset: string;
  occurrence: number;
  /** Where it stands in the list, from 1. */
  number: number | null;
  total: number;
  previous: [number, number] | null;
  next: [number, number] | null;
  /** The command that shows the same in a terminal. */
  command: string;
  outputs: Array<OutputDetail>;
};

/** Cases that fit a filter, some at a time. */
export type CasePage = {
  run: RunDescription;
  settings: PageSettings;
  total: number;
  from: number;
  rows: Array<CaseRow>;
  /** Whether questions and answers are known. */
  has_texts: boolean;
  /** Why nothing fits, where the filter names what the run does not have. */
  hint: string | null;
};

/** A case in a list. */
export type CaseRow = {
  at: [number, number];
  id: string;
  dataset: string;
  query: string;
  tags: Array<string>;
  outputs: Array<OutputRow>;
  /** Outputs that are not in the list. */
  more: number;
};

/** Orders of cases that are not those of a metric; a number with `-` before it puts the largest first. */
export type CaseSort = "cost" | "latency" | "tokens" | "worst";

/** A run against the baseline. */
export type ComparedRunView = {
  /** Its name. */
  name: string;
  /** Which cases are in both, in words. */
  pairing: string;
  /** One for each metric. */
  metrics: Array<MetricComparisonView>;
};

/** Runs against the first of them. */
export type Comparison = {
  /** What is compared with. */
  baseline: string;
  /** What slices are made by. */
  by: string | null;
  /** The rule that decides, in words. */
  rule: string;
  /** What the reader should know. */
  notes: Array<string>;
  /** What is compared. */
  others: Array<ComparedRunView>;
  /** The run of each side. */
  keys: Array<string>;
  settings: PageSettings;
};

/** A difference of means. */
export type DifferenceView = {
  /** Mean of the baseline. */
  baseline: string;
  /** Mean of the other. */
  other: string;
  /** The other minus the baseline. */
  difference: string;
  /** Its interval. */
  interval: string;
  /** Its p-value. */
  p: string;
  /** The p-value, adjusted for all tests. */
  adjusted: string;
  /** The interval, adjusted likewise. */
  adjusted_interval: string;
  /** The minimum detectable effect. */
  detectable: string;
  /** Cases that were scored in both. */
  pairs: number;
  /** The verdict, in words. */
  verdict: string;
  /** The difference as a number, for a picture. */
  mean: number;
  /** Ends of its interval, for a picture. */
  ends: [number, number] | null;
};

/** What became of a gate, with the filter and the order that show the cases behind it. */
export type GateLine = {
  passed: boolean;
  words: string;
  filter: string;
  sort: string;
};

/** How often values fell where. */
export type Histogram = {
  /** Lower edge of the first bin. */
  from: number;
  /** Upper edge of the last bin, which includes it. */
  to: number;
  /** One count per bin, from low to high. */
  counts: Array<number>;
};

/** What runs have become, for a page. */
export type HistoryView = {
  /** Their names, the oldest first. */
  runs: Array<string>;
  /** One for each data set, model and metric. */
  series: Array<SeriesView>;
  /** The rule that decides, in words. */
  rule: string;
  /** What the reader should know. */
  notes: Array<string>;
};

/** Where labelling stands, and the output that comes next. */
export type LabelState = {
  run: RunDescription;
  settings: PageSettings;
  metric: string;
  summary: string;
  /** What the judge is asked. */
  question: unknown;
  levels: Array<LevelOfRubric>;
  /** From where on a value passes. */
  threshold: number;
  decision_thresholds: unknown;
  /** The file of labels, and whether there is one yet. */
  file: string;
  exists: boolean;
  /** The command that holds the labels against the metric. */
  command: string;
  /** Lines that were not written to their end. */
  torn: number;
  people: Array<Labeller>;
  outputs: number;
  labellable: number;
  unsure: number;
  decided: number;
  deferred: number;
  agreements: Array<Agreement>;
  sample: OutputToLabel | null;
};

/** Somebody who has labelled. */
export type Labeller = {
  name: string;
  decided: number;
};

/** A level of a rubric. */
export type LevelOfRubric = {
  /** Its name. */
  label: string;
  /** What it means, where that is said. */
  means: string;
  /** What it is worth. */
  value: number;
};

/** A mean with its interval, as reports write both, and what it is over. */
export type MeanCell = {
  mean: number | null;
  words: string | null;
  interval: string | null;
  ends: [number, number] | null;
  method: string | null;
  cases: number;
  scored: number;
  unsure: number;
  not_applicable: number;
  failed: number;
};

/** The means of some outputs. */
export type MeansRow = {
  /** The group, as reports name it. */
  name: string;
  /** The filter that shows its cases. */
  filter: string;
  /** What `compare` takes behind the run, where the group is a model or a prompt. */
  part: OutputPart;
  cases: number;
  outputs: number;
  cost_usd: number | null;
  /** One for each metric. */
  cells: Array<MeanCell>;
};

/** A metric in both runs. */
export type MetricComparisonView = {
  /** Its name. */
  metric: string;
  /** `higher` or `lower`. */
  better: string;
  /** Width of its range, where it has two ends. */
  width: number | null;
  /** Over all cases; nothing where no pair was scored. */
  whole: DifferenceView | null;
  /** How many got better and worse, in words. */
  movements: string;
  /** Model by model. */
  models: Array<SliceView>;
  /** Slice by slice. */
  slices: Array<SliceView>;
  /** Cases that changed most. */
  changes: Array<CaseChangeView>;
  /** Changed cases that are not shown. */
  more: number;
};

/** A request and its reply. */
export type ModelCall = {
  kind: CallKind;
  name: string;
  model: string;
  parameters: unknown;
  messages: Array<CallMessage>;
  reply: string;
  /** The body that came back. */
  raw: string | null;
  stop: string | null;
  cost_usd: number | null;
  latency_ms: number;
  attempts: number;
  input_tokens: number | null;
  output_tokens: number | null;
};

/** What models were asked for an output. */
export type ModelCalls = {
  /** The response cache that was searched. */
  record: string;
  asked: Array<ModelCall>;
  /** Why there is none. */
  note: string;
};

/** An output with everything that is known of it. */
export type OutputDetail = {
  model: string | null;
  prompt: string | null;
  /** The name under which the provider answered, where it differs. */
  answered_by: string | null;
  repeat: number;
  status: string;
  cost_usd: number | null;
  latency_ms: number | null;
  entry: Entry;
  /** Its number in the store. */
  sample: number;
  attempts: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  /** What is to be known of the trace behind it. */
  trace_notes: Array<string>;
  record: CaseRecord;
};

/** Which outputs of a run: those of a model, of a prompt, or of both. */
export type OutputPart = {
  model: string | null;
  prompt: string | null;
};

/** An output in a list. */
export type OutputRow = {
  model: string | null;
  prompt: string | null;
  /** The name under which the provider answered, where it differs. */
  answered_by: string | null;
  repeat: number;
  status: string;
  cost_usd: number | null;
  latency_ms: number | null;
  entry: Entry;
  /** How the answer begins. */
  answer: string | null;
};

/** An output as it is labelled. */
export type OutputToLabel = {
  at: [number, number, number | null, number, number | null];
  case: [number, number];
  id: string;
  dataset: string | null;
  own: HumanLabel | null;
  entry: Entry;
  record: CaseRecord;
  others?: HumanLabel[];
  model?: string | null;
  repeat?: number;
};

/** A metric, as the script of a page knows it. */
export type PageMetric = {
  /** What its values are called in the results. */
  name: string;
  /** What it measures. */
  summary: string;
  /** Ends of its scale, where it has them. */
  range: [number | null, number | null];
  /** `higher` or `lower`. */
  better: string;
};

/** What the script of a page has to know. */
export type PageSettings = {
  /** The metrics, in the order of their values. */
  metrics: Array<PageMetric>;
  /** First and last of the signs that a reader would not see. */
  hidden: Array<[number, number]>;
};

/** What is known of a run without looking at its results; of a file that nobody has opened yet, its name alone. */
export type RunDescription = {
  key: string;
  name: string;
  kind: RunKind;
  /** `open` or `complete`. */
  state?: string;
  /** Seconds since 1970; nothing for a file. */
  made?: number | null;
  finished?: number;
  samples?: number;
  /** Failed results by their kind. */
  errors?: Array<[string, number]>;
  /** What calls cost, in words; nothing where there were none. */
  cost?: string | null;
  /** What the calls cost whose price is known. */
  cost_usd?: number | null;
  config?: string;
  benchmark?: string | null;
  models?: Array<string>;
  prompts?: Array<string>;
  datasets?: Array<string>;
  notes?: Array<string>;
  /** The day on which the traces came, where they were collected. */
  collected?: string | null;
};

/** Where results come from. */
export type RunKind = "run" | "file";

/** All runs and files. */
export type RunList = {
  /** The version that serves them. */
  probare: string;
  /** The oldest first. */
  runs: Array<RunDescription>;
  settings: PageSettings;
};

/** What a run came to. */
export type RunSummary = {
  key: string;
  name: string;
  kind: RunKind;
  /** `open` or `complete`. */
  state?: string;
  /** Seconds since 1970; nothing for a file. */
  made?: number | null;
  finished?: number;
  samples?: number;
  /** Failed results by their kind. */
  errors?: Array<[string, number]>;
  /** What calls cost, in words; nothing where there were none. */
  cost?: string | null;
  /** What the calls cost whose price is known. */
  cost_usd?: number | null;
  config?: string;
  benchmark?: string | null;
  models?: Array<string>;
  prompts?: Array<string>;
  datasets?: Array<string>;
  notes?: Array<string>;
  /** The day on which the traces came, where they were collected. */
  collected?: string | null;
  settings: PageSettings;
  cases: number;
  outputs: number;
  failed: number;
  /** What rows are made by: `model` or `model+prompt`, or what was asked for. */
  by: string;
  /** One for each group. */
  rows: Array<MeansRow>;
  /** Means over all outputs, one for each metric. */
  whole: Array<MeanCell>;
  /** How the values of each metric lie; nothing where none was scored. */
  distributions: Array<Histogram | null>;
  gates: Array<GateLine>;
  panels: Panel[];
  /** A word in front, and what it introduces. */
  remarks: Array<[string, string]>;
};

/** The means of one metric, run after run. */
export type SeriesView = {
  /** The data set. */
  dataset: string;
  /** Whose outputs they are. */
  model: string | null;
  /** The metric. */
  metric: string;
  /** The trend as a picture. */
  svg: string;
  /** The first mean. */
  first: string | null;
  /** The last mean. */
  last: string | null;
  /** The difference since the first run, with its interval. */
  since_first: string | null;
  /** The first run that differs from the one before it. */
  first_difference: string | null;
  /** Cases that change between good and bad. */
  unstable: Array<UnstableCaseView>;
  /** How many those are, in words. */
  unstable_words: string;
  /** How many those are. */
  unstable_cases: number;
};

/** The difference within a slice. */
export type SliceView = {
  /** Its name. */
  slice: string;
  /** Mean of the baseline. */
  baseline: string;
  /** Mean of the other. */
  other: string;
  /** The other minus the baseline. */
  difference: string;
  /** Its interval. */
  interval: string;
  /** Its p-value. */
  p: string;
  /** The p-value, adjusted for all tests. */
  adjusted: string;
  /** The interval, adjusted likewise. */
  adjusted_interval: string;
  /** The minimum detectable effect. */
  detectable: string;
  /** Cases that were scored in both. */
  pairs: number;
  /** The verdict, in words. */
  verdict: string;
  /** The difference as a number, for a picture. */
  mean: number;
  /** Ends of its interval, for a picture. */
  ends: [number, number] | null;
};

/** A case that changes between good and bad. */
export type UnstableCaseView = {
  /** Its id. */
  id: string;
  /** What it was, run after run. */
  states: string;
};
