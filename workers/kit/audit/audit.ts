import type { AuditActor } from "../../../db/kit/audit";
import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import { type Bound, followedBy } from "../db/statement";
import { insertAction, insertChange, insertNewRow } from "./audit.store";

/**
 * One entry of the audit log. `companyId` is null for actions that concern no company. `target` is the kind of the
 * changed row and its id (`suppression:12`). `changes` holds ids and field names, never secrets or addresses.
 */
export type AuditEntry = {
  actor: AuditActor;
  companyId: number | null;
  action: string;
  target: string;
  changes?: Record<string, unknown>;
  /** unix ms */
  now: number;
};

/** Returns the caller of a request as the actor of an entry. */
export function actorOf({ kind, userId }: AuditActor): AuditActor {
  return { kind, userId };
}

const bindWith =
  (insert: typeof insertChange) =>
  ({ actor, companyId, changes = {}, ...entry }: AuditEntry): Bound =>
    insert({ ...entry, ...actor, companyId: companyId ?? 0, changes: JSON.stringify(changes) });

/**
 * Returns the statement that inserts the audit entry of a change. It must directly follow the change in the batch, and
 * inserts nothing when the change affected no row.
 */
export const changeEntry = bindWith(insertChange);

/** Like changeEntry, for an INSERT. `target` is the kind of the new row; the statement appends the row's id. */
export const newRowEntry = bindWith(insertNewRow);

/** Returns the statement that inserts the entry of an action that changes no row, such as sending a test email. */
export const actionEntry = bindWith(insertAction);

type Writer = Pick<Databases, "dbOf"> & { clock: Clock };

/** Runs an administrator's change and its audit entry in one batch. Returns whether a row changed. */
export async function runAudited(
  { dbOf, clock }: Writer,
  caller: AuditActor,
  change: Bound<unknown>,
  entry: Omit<AuditEntry, "actor" | "companyId" | "now"> & { companyId: number },
): Promise<boolean> {
  const auditStatement = changeEntry({ ...entry, actor: actorOf(caller), now: clock.now() });
  const { changes } = await dbOf(entry.companyId).run(followedBy(change, auditStatement));
  return changes > 0;
}
