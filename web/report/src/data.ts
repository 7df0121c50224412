// What the page holds as JSON: src/lab/html/ writes it around results as `--json` gives them.

export type Side = "ours" | "peer" | "bound";

export interface Policy {
  name: string;
  about: string;
  side: Side;
}

export type Score = {
  policy: string;
  mean_s: number | null;
  p99_half_width_s: number | null;
  error_share: number;
  attempts_per_call: number;
  longest_queue: number;
  regret: number | null; // null: never ended
  stopped?: string;
} & { [quantile: `p${string}_s`]: number | null };

export interface SituationScores {
  situation: string;
  about: string;
  bound_s: number | null;
  bound_of: string;
  central_queue: boolean;
  scores: Score[];
}

export interface Standing {
  policy: string;
  worst_regret: number | null;
  worst_in: string;
  typical_regret: number | null;
}

// One run's requests at each server over time; bands instead of lines when there are many.
export interface LoadSeries {
  situation: string;
  policy: string;
  servers: number;
  bands: boolean;
  at_s: number[];
  lines: { name: string; in_system: number[] }[];
  stopped: string;
}

export interface ContestData {
  kind: "contest";
  command: string;
  conventions: string;
  quantiles: number[];
  policies: Policy[];
  result: { seed: number; scale: number; standings?: Standing[]; situations: SituationScores[] };
  load: LoadSeries[];
}

export interface Row {
  row: string;
  kind: string;
  expected?: number | string | null;
  tolerance?: number | null;
  low?: number | null;
  high?: number | null;
  figures?: string;
  got: number | null;
  half_width: number | null;
  runs: number;
  verdict: "good" | "off" | null;
  source: string;
}

export interface Series {
  name: string;
  x_name: string;
  y_name: string;
  x: (number | null)[];
  y: (number | null)[];
}

export interface Experiment {
  id: string;
  name: string;
  summary: string;
  source: string;
  conventions: { sampling: string; ties: string; counting: string };
  good: boolean;
  replay: string;
  warm_up: string; // empty: nothing in it is steady
  rows: Row[];
  series: Series[];
}

export interface ExperimentsData {
  kind: "experiments";
  command: string;
  result: { seed: number; scale: number; interval: string; experiments: Experiment[]; good: boolean };
}

export interface PlanPoint {
  endpoints: number;
  load: number;
  p99_s: number | null; // null: a run stopped, more came than was served
  p99_half_width_s: number | null;
  mean_s: number | null;
}

export interface PlanAnswer {
  policy: string;
  endpoints: number | null; // null: more than `most`
  perhaps: number | null;
  points: PlanPoint[];
}

export interface PlanData {
  kind: "plan";
  command: string;
  most: number;
  result: { p99_s: number; runs: number; calls: number; seed: number; answers: PlanAnswer[] };
}

export type Data = ContestData | ExperimentsData | PlanData;
