import type { Actor } from "../../../../db/email/rows";
import type { AdminCaller } from "../../../kit/auth/caller";
import type { Bound } from "../../../kit/db/statement";
import { insertAct, insertChange, insertNewRow } from "./audit.store";

/**
 * What somebody did. `companyId` null: it is of no company. `target`: what it was done to, with its id (`suppression:12`).
 * `changes` hold ids and names of fields, never secrets or addresses.
 */
export type Audited = {
  actor: Actor;
  companyId: number | null;
  action: string;
  target: string;
  changes?: Record<string, unknown>;
  /** unix ms */
  now: number;
};

/** The person of a call, as an entry names them. */
export function actorOf({ kind, userId }: AdminCaller): Actor {
  return { kind, userId };
}

const bindWith =
  (insert: typeof insertChange) =>
  ({ actor, companyId, changes = {}, ...entry }: Audited): Bound =>
    insert({ ...entry, ...actor, companyId: companyId ?? 0, changes: JSON.stringify(changes) });

/** The entry of a change, right behind its statement; nothing is written when that one changed no row. */
export const changeEntry = bindWith(insertChange);

/** As changeEntry, of a row that its statement made; `target` is the kind of row, to which its id is put. */
export const newRowEntry = bindWith(insertNewRow);

/** The entry of what changes no row, such as a test mail. */
export const actEntry = bindWith(insertAct);
