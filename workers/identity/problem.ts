import type { identityErrors } from "../../schemas/identity/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The codes by which identity refuses. */
export type ErrorCode = keyof typeof identityErrors;

/** An expected refusal of identity. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
