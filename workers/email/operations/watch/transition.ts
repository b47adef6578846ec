import type { AlertRow } from "../../../../db/email/rows";
import type { Condition } from "./condition";

/** The changes that a check makes to the stored alerts. `fired` and `resolved` are reported. */
export type Transition = { saved: AlertRow[]; deleted: AlertRow[]; fired: AlertRow[]; resolved: AlertRow[] };

/**
 * Returns the changes after a check. A condition fires when it has held for `holdMs`, and resolves when it has been over for as
 * long, so that a short change is not reported. Alerts of services in `silent`, which did not respond, stay as they are.
 */
export function transitionOf(
  stored: readonly AlertRow[],
  { conditions, silent }: { conditions: readonly Condition[]; silent: ReadonlySet<string> },
  { now, holdMs }: { now: number; holdMs: number },
): Transition {
  const rows = new Map(stored.map((row) => [row.id, row]));
  const found = new Set(conditions.map(({ id }) => id));
  const present = conditions.flatMap((condition): AlertRow[] => {
    const row = rows.get(condition.id) ?? { ...condition, started_at: now, fired_at: null, cleared_at: null };
    if (row.fired_at === null && now - row.started_at >= holdMs) {
      return [{ ...row, count: condition.count, fired_at: now }];
    }
    if (row.cleared_at !== null) return [{ ...row, cleared_at: null }];
    return rows.has(condition.id) ? [] : [row];
  });
  const absent = stored
    .filter((row) => !found.has(row.id) && !silent.has(row.service))
    .map((row) => ({ ...row, cleared_at: row.cleared_at ?? now }));
  const resolved = absent.filter((row) => row.fired_at !== null && now - row.cleared_at >= holdMs);
  const deleted = absent.filter((row) => row.fired_at === null || resolved.includes(row));
  const cleared = absent.filter((row) => !deleted.includes(row) && rows.get(row.id)?.cleared_at === null);
  return {
    saved: [...present, ...cleared],
    deleted,
    fired: present.filter(({ fired_at }) => fired_at === now),
    resolved,
  };
}
