import { Problem } from "../../problem";

/**
 * What a query asks for, or its fault. A list reads it before it knows who calls, so that credential and rows are one round
 * trip, and tells the fault after that.
 */
export function readLate<T>(read: () => T): T | Problem {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
