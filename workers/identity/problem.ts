import type { identityErrors } from "../../schemas/identity/errors";
import { ConstraintError } from "../kit/db/db";
import { Problem as AnyProblem } from "../kit/problem";

/** The error codes of identity. */
export type ErrorCode = keyof typeof identityErrors;

/** An expected error of identity. */
export const Problem = AnyProblem<ErrorCode>;
export type Problem = AnyProblem<ErrorCode>;

/**
 * Awaits a batch. Turns a constraint violation into 409 `conflict`. Use it only for batches in which a caller can violate
 * no constraint but the unique name of the resource.
 */
export async function conflictOnConstraint<T>(batch: Promise<T>): Promise<T> {
  try {
    return await batch;
  } catch (error) {
    if (error instanceof ConstraintError) throw new Problem("conflict", { cause: error });
    throw error;
  }
}
