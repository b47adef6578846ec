import type { ProvisioningError } from "../../../../db/identity/scim";
import { identityErrors } from "../../../../schemas/identity/errors";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { messageOf, type Problem } from "../../../kit/problem";
import { iso } from "../../../kit/time";
import {
  batchWithEvents,
  eventStatement,
  keyOfEvent,
  type NewEvent,
} from "../../../kit/webhooks/event-store/new-event";
import { queueOwnerMails } from "../../mail/outbox/notice";
import type { IdentityServices } from "../../services";
import {
  findLastError,
  insertChange,
  insertRejection,
  listChanges,
  type ProvisioningRow,
  storeLastError,
} from "./provisioning.store";

/** The number of characters of a detail that is stored. */
const MAX_DETAIL = 300;

/** The number of changes that the state of a directory shows. */
const SHOWN_CHANGES = 5;

/** A change that a directory requested. */
export type Requested = { operation: "create" | "replace" | "update" | "delete"; type: "User" | "Group" };

/** Returns the statement that records a stored change. A user is named by `nameKey`, because a new one has no id yet. */
export function provisioningEntry(
  { clock }: Pick<IdentityServices, "clock">,
  change: Requested & { companyId: number; nameKey: string | null; resourceId: string | null },
): Bound {
  return insertChange({ ...change, id: uuid(), ifChanged: change.type === "Group", now: clock.now() });
}

/** A conflict that owners learn of. */
type Reported = { display_name: string; operation: string };

/**
 * Records a rejected change, also as the last error of the company, with the event of a conflict in the same batch. Mails the owners
 * at most once a day that their company would lose its last owner.
 */
export async function recordRejection(
  services: IdentityServices,
  { companyId, operation, type, resourceId }: Requested & { companyId: number; resourceId: string | null },
  problem: Problem<string>,
  reported: Reported | null,
): Promise<void> {
  const { db, clock, webhooks } = services;
  const now = clock.now();
  const detail = (messageOf(problem, identityErrors) ?? "").slice(0, MAX_DETAIL);
  const { code } = problem;
  const events = reported === null ? [] : [eventOf(services.newEventId(), companyId, { ...reported, detail })];
  await batchWithEvents(
    webhooks,
    db,
    {
      entry: insertRejection({ companyId, id: uuid(), operation, type, resourceId, code, detail, now }),
      last: storeLastError({ companyId, error: { at: now, code, type, detail } }),
      events: events.length === 0 ? null : eventStatement(webhooks, events),
    },
    events.map(keyOfEvent),
  );
  if (reported === null || code !== "last_company_owner") return;
  const { display_name } = reported;
  const day = new Date(now).toISOString().slice(0, 10);
  const variables = { display_name, operation: reported.operation, detail };
  const deduplicationKey = `scim-conflict-${companyId}-${day}`;
  await queueOwnerMails(services, [{ company_id: companyId, template_key: CONFLICT, deduplicationKey, variables }]);
}

const CONFLICT = "identity.scim.provisioning_conflict";

function eventOf(id: string, companyId: number, data: Reported & { detail: string }): NewEvent & { companyId: number } {
  return { id, type: CONFLICT, companyId, data, actor: { kind: "scim" } };
}

/** Returns the statements that select the last changes of a directory and its last error. */
export const selectRecentChanges = (companyId: number) => ({
  changes: listChanges({ companyId, limit: SHOWN_CHANGES }),
  lastError: findLastError({ companyId }),
});

/** Returns the last changes of a directory, newest first. */
export const presentRecentChanges = (rows: readonly ProvisioningRow[]) =>
  rows.map(({ created_at, operation, resource_type, resource_id, ok, code, detail }) => ({
    at: iso(created_at),
    operation,
    resource_type,
    resource_id,
    ok,
    code,
    detail,
  }));

/** Returns the last error of a directory, or null. */
export function presentLastError(row: { last_error: ProvisioningError | null } | null) {
  const error = row?.last_error ?? null;
  return error && { ...error, at: iso(error.at) };
}
