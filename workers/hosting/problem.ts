import type { hostingErrors } from "../../schemas/hosting/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** Error codes of the hosting service. */
export type ErrorCode = keyof typeof hostingErrors;

/** An expected error of the hosting service. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
