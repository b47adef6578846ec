import type { storageErrors } from "../../schemas/storage/errors";
import { Problem as AnyProblem } from "../kit/problem";

/** Error codes of the storage service. */
export type ErrorCode = keyof typeof storageErrors;

/** An expected error of the storage service. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;
