import { type BatchItem, type BatchResults, DatabaseError, type Db } from "../db/db";

/** The response header of a mutation with its database bookmark; a list request that sends it sees the mutation. */
export const BOOKMARK_HEADER = "X-Platform-Bookmark";

const pattern = /^[0-9a-f-]{1,100}$/;

/**
 * Reads a list from any replica, or from one that is as new as the client's bookmark. A malformed bookmark is ignored;
 * when the database rejects it (from another database, or after a restore) the primary is read.
 */
export async function readList<T extends Record<string, BatchItem>>(
  db: Db,
  request: Request,
  statements: T,
): Promise<BatchResults<T>> {
  const clientBookmark = request.headers.get(BOOKMARK_HEADER) ?? "";
  if (!pattern.test(clientBookmark)) return db.from("first-unconstrained").batch(statements);
  try {
    return await db.from(clientBookmark).batch(statements);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return db.batch(statements);
  }
}

/** Sets the bookmark header on the response of a mutation. */
export function setBookmarkHeader(response: Response, bookmark: string | null): Response {
  if (response.ok && bookmark !== null) response.headers.set(BOOKMARK_HEADER, bookmark);
  return response;
}
