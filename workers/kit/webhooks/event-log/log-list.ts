import type { Bound } from "../../db/statement";
import type { LogPage } from "../../http/paging/log-page";
import type { Key, LogList } from "./log-list.store";

/** What is read of a log: `keys` are values of the list's key, `asked` those of its filters, times unix ms. */
export type LogQuery<A> = {
  /** null: platform events */
  companyId: number | null;
  keys: readonly Key[];
  filter: { created_after?: number | undefined; created_before?: number | undefined };
  asked: A;
};

/** The reads of a page: its rows and, but behind a cursor, their number. */
export function logListReads<Row, A>(
  list: LogList<Row, A>,
  { companyId, keys, filter, asked }: LogQuery<A>,
  page: LogPage,
): { rows: Bound<Row>; count: Bound<{ count: number }> | null } {
  const { created_after: from = 0, created_before: until = Number.MAX_SAFE_INTEGER } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER, id: 0 };
  const values = {
    ...asked,
    company: companyId,
    keys,
    from,
    until: Math.min(until, after.created_at + 1),
    cursor_time: after.created_at,
    cursor_id: after.id,
  };
  return {
    rows: list.rows({ ...values, size: page.pageSize + 1, offset: page.offset }),
    count: page.after ? null : list.count(values),
  };
}
