import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { byNumber, type Page, presentPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { iso } from "../../../kit/time";
import type { Caller } from "../../caller/credentials/caller";
import { countSessions, findSessionOfUser, listSessions, type SessionListRow } from "./own-session.store";

/** The creation time (ms) and id of the last session on a page. */
const position = lazySchema(() => z.tuple([z.int(), z.string()]));
type SessionPage = Page<[number, string]>;

/** Reads the requested page of a list of sessions, newest first, from the query. */
export const readSessionPage = (query: Parameters<typeof readPage>[0]): SessionPage =>
  readPage(query, position, byNumber);

/**
 * Returns the statements that select a page of the user's live sessions in the company at `now` (ms) and, for numbered pages,
 * their total.
 */
export function selectSessionList(
  key: { userId: number; companyId: number; now: number },
  { after, limit, offset }: SessionPage,
) {
  const [time, before] = after ?? [Number.MAX_SAFE_INTEGER, ""];
  return {
    counted: after === null ? countSessions(key) : null,
    sessions: listSessions({ ...key, time, before, limit: limit + 1, offset }),
  };
}

/** Returns the statement that selects the session, live or not, if it belongs to the user in the company. */
export const selectSessionOfUser = (key: { sid: string; userId: number; companyId: number }) => findSessionOfUser(key);

/** Returns the page as the API shows it. The session that sent the request is marked `current`. */
export function presentSessionList(
  page: SessionPage,
  results: { counted: { first: { total: number } | null } | null; sessions: { rows: SessionListRow[] } },
  { credential }: Caller,
) {
  const currentId = credential.kind === "session" ? credential.sid : null;
  const count = results.counted?.first?.total ?? 0;
  const rows = splitPage(results.sessions.rows, page.limit, (row) => [row.created_at, row.id]);
  return presentPage(page, { ...rows, count }, (row) => ({
    id: row.id,
    created_at: iso(row.created_at),
    last_refresh_at: iso(row.rotated_at),
    expires_at: iso(row.idle_expires_at),
    provider: row.provider,
    country: row.country,
    user_agent: row.user_agent,
    current: row.id === currentId,
  }));
}
