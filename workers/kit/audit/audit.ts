import type { AuditActor } from "../../../db/kit/audit";
import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import { type Bound, followedBy } from "../db/statement";
import { insertAct, insertChange, insertNewRow } from "./audit.store";

/**
 * One entry of the audit log. `companyId` null: it is of no company. `target`: what was changed, with its id
 * (`suppression:12`). `changes` hold ids and names of fields, never secrets or addresses.
 */
export type Audited = {
  actor: AuditActor;
  companyId: number | null;
  action: string;
  target: string;
  changes?: Record<string, unknown>;
  /** unix ms */
  now: number;
};

/** The person of a call, as an entry names them. */
export function actorOf({ kind, userId }: AuditActor): AuditActor {
  return { kind, userId };
}

const bindWith =
  (insert: typeof insertChange) =>
  ({ actor, companyId, changes = {}, ...entry }: Audited): Bound =>
    insert({ ...entry, ...actor, companyId: companyId ?? 0, changes: JSON.stringify(changes) });

/** The entry of a change, right behind its statement; nothing is written when that one changed no row. */
export const changeEntry = bindWith(insertChange);

/** As changeEntry, for an INSERT: appends the id of the new row to `target`, the kind of the row. */
export const newRowEntry = bindWith(insertNewRow);

/** The entry of what changes no row, such as a test mail. */
export const actEntry = bindWith(insertAct);

type Writer = Pick<Databases, "dbOf"> & { clock: Clock };

/** Runs the change of an administrator with its audit entry in one batch; whether it changed a row. */
export async function runAudited(
  { dbOf, clock }: Writer,
  caller: AuditActor,
  change: Bound<unknown>,
  entry: Omit<Audited, "actor" | "companyId" | "now"> & { companyId: number },
): Promise<boolean> {
  const audited = changeEntry({ ...entry, actor: actorOf(caller), now: clock.now() });
  const { changes } = await dbOf(entry.companyId).run(followedBy(change, audited));
  return changes > 0;
}
