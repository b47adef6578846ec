import { type SQL, sql } from "drizzle-orm";
import { audit_log } from "../../../db/kit/audit";
import { insertSelect, q } from "../db/query";
import { statement } from "../db/statement";

const { at, actor_kind, actor_user_id, company_id, action, target, changes } = audit_log;

const entry = { now: at, kind: actor_kind, userId: actor_user_id, companyId: company_id, action, target, changes };
type Entry = { [K in keyof typeof entry]: SQL };

const columns = ({ now, kind, userId, companyId, action, changes }: Entry, target: SQL) => {
  const actor = { actor_kind: kind, actor_user_id: userId };
  return { at: now, ...actor, company_id: companyId, action, target, changes };
};

/** An entry right behind its change: written only when that one changed a row. */
export const insertChange = statement(entry, (p) =>
  insertSelect(audit_log, columns(p, p.target), sql`where changes() > 0`),
);

/** As insertChange, behind the statement that made the row: its id is put behind `target` and a colon. */
export const insertNewRow = statement(entry, (p) =>
  insertSelect(audit_log, columns(p, sql`${p.target} || ':' || last_insert_rowid()`), sql`where changes() > 0`),
);

/** An entry of what changes no row. */
export const insertAct = statement(entry, (p) => q.insert(audit_log).values(columns(p, p.target)));
