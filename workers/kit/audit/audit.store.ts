import { type SQL, sql } from "drizzle-orm";
import { audit_log } from "../../../db/kit/audit";
import { insertSelect, queryBuilder } from "../db/query";
import { statement } from "../db/statement";

const { at, actor_kind, actor_user_id, company_id, action, target, changes } = audit_log;

const entry = { now: at, kind: actor_kind, userId: actor_user_id, companyId: company_id, action, target, changes };
type Entry = { [K in keyof typeof entry]: SQL };

const columns = ({ now, kind, userId, companyId, action, changes }: Entry, target: SQL) => {
  const actor = { actor_kind: kind, actor_user_id: userId };
  return { at: now, ...actor, company_id: companyId, action, target, changes };
};

/** Statement: inserts an entry if the preceding statement of the batch changed a row. */
export const insertChange = statement(entry, (p) =>
  insertSelect(audit_log, columns(p, p.target), sql`where changes() > 0`),
);

/** Like insertChange, but for a preceding INSERT: appends a colon and the id of the new row to `target`. */
export const insertNewRow = statement(entry, (p) =>
  insertSelect(audit_log, columns(p, sql`${p.target} || ':' || last_insert_rowid()`), sql`where changes() > 0`),
);

/** Statement: inserts an entry for an action that changes no row. */
export const insertAction = statement(entry, (p) => queryBuilder.insert(audit_log).values(columns(p, p.target)));
