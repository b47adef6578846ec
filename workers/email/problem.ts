import type { emailErrors } from "../../schemas/email/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The error codes of the email service. */
export type ErrorCode = keyof typeof emailErrors;

/** An expected error of the email service. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
