import type { PatternProblem } from "./pattern";

/** Why a pattern was ignored, as a sentence of a warning. */
export const pathProblems: Readonly<Record<PatternProblem, string>> = {
  splats: "A path can contain `*` only once.",
  placeholders: "A path can contain each placeholder only once.",
  port: "A URL cannot have a port.",
};
