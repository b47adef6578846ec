import { type BatchItem, type BatchResults, DatabaseError, type Db } from "../db/db";

/**
 * The response header that carries the database bookmark of a mutation. A list request that sends the bookmark sees the
 * mutation.
 */
export const BOOKMARK_HEADER = "X-Platform-Bookmark";

const pattern = /^[0-9a-f-]{1,100}$/;

/**
 * Reads a list from any replica, or from one that is as new as the client's bookmark. Ignores a malformed bookmark.
 * When the database rejects the bookmark (from another database, or after a restore), reads the primary.
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

/** Sets the bookmark header on a successful response of a mutation. */
export function setBookmarkHeader(response: Response, bookmark: string | null): Response {
  if (response.ok && bookmark !== null) response.headers.set(BOOKMARK_HEADER, bookmark);
  return response;
}
