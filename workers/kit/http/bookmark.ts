import { type BatchItem, type BatchResults, DatabaseError, type Db } from "../db/db";

/** The state of the database that a mutation left, in its answer; a list that is asked with it knows of the mutation. */
export const BOOKMARK_HEADER = "X-Platform-Bookmark";

const pattern = /^[0-9a-f-]{1,100}$/;

/**
 * Reads for a list, by any replica or, with the bookmark of a mutation, by one that has it. What is no bookmark is no wish;
 * one that the database refuses (of another database, of a time that a restore took back) is answered by the primary.
 */
export async function readList<T extends Record<string, BatchItem>>(
  db: Db,
  request: Request,
  statements: T,
): Promise<BatchResults<T>> {
  const given = request.headers.get(BOOKMARK_HEADER) ?? "";
  if (!pattern.test(given)) return db.from("first-unconstrained").batch(statements);
  try {
    return await db.from(given).batch(statements);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return db.batch(statements);
  }
}

/** Tells the caller of a mutation where its list has to begin. */
export function giveBookmark(response: Response, bookmark: string | null): Response {
  if (response.ok && bookmark !== null) response.headers.set(BOOKMARK_HEADER, bookmark);
  return response;
}
