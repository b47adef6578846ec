import type { identityErrors } from "../../schemas/identity/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The error codes of identity. */
export type ErrorCode = keyof typeof identityErrors;

/** An expected error of identity. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
