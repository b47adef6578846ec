import { Problem } from "../../../workers/kit/problem";

/** Returns the SCIM keyword of the error that `run` throws, or null when it throws none. */
export function keywordOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error.options.extra?.scimType;
    throw error;
  }
  return null;
}
