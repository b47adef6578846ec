import type { storageErrors } from "../../schemas/storage/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** The codes by which storage refuses. */
export type ErrorCode = keyof typeof storageErrors;

/** An expected refusal of storage. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
