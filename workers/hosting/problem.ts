import type { hostingErrors } from "../../schemas/hosting/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The codes by which hosting refuses. */
export type ErrorCode = keyof typeof hostingErrors;

/** An expected refusal of hosting. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
