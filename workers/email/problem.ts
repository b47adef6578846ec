import type { emailErrors } from "../../schemas/email/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The codes by which email refuses. */
export type ErrorCode = keyof typeof emailErrors;

/** An expected refusal of email. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
