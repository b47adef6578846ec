import type * as z from "zod";
import type { ProvisioningError } from "../../../../db/identity/scim";
import { identityErrors } from "../../../../schemas/identity/errors";
import type { scimEventFilter } from "../../../../schemas/identity/people/scim";
import type { Bound } from "../../../kit/db/statement";
import { scanOfPage } from "../../../kit/http/paging/scan";
import { uuid } from "../../../kit/ids";
import { messageOf, type Problem } from "../../../kit/problem";
import { iso } from "../../../kit/time";
import { type EventPage, rangeOfPage } from "../../../kit/webhooks/event-log/log-list";
import {
  batchWithEvents,
  eventStatement,
  keyOfEvent,
  type NewEvent,
} from "../../../kit/webhooks/event-store/new-event";
import { type OwnerNotice, ownerMailStatements } from "../../mail/outbox/notice";
import type { IdentityServices } from "../../services";
import {
  findLastError,
  insertChange,
  insertRejection,
  listChanges,
  listLastChanges,
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
 * Records a rejected change, also as the last error of the company. The same batch has the event of a conflict and, at most once a
 * day, the mails to the owners whose company would lose its last owner.
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
  const mails =
    reported === null || code !== "last_company_owner"
      ? []
      : await ownerMailStatements(services, [conflictNotice(companyId, { ...reported, detail }, now)]);
  const events = reported === null ? [] : [eventOf(services.newEventId(), companyId, { ...reported, detail })];
  await batchWithEvents(
    webhooks,
    db,
    {
      entry: insertRejection({ companyId, id: uuid(), operation, type, resourceId, code, detail, now }),
      last: storeLastError({ companyId, error: { at: now, code, type, detail } }),
      events: events.length === 0 ? null : eventStatement(webhooks, events),
      mails,
    },
    events.map(keyOfEvent),
  );
}

const CONFLICT = "identity.scim.provisioning_conflict";

function conflictNotice(companyId: number, variables: Reported & { detail: string }, now: number): OwnerNotice {
  const deduplicationKey = `scim-conflict-${companyId}-${iso(now).slice(0, 10)}`;
  const occurrence = { page: "/directory", occurredAt: now };
  return {
    company_id: companyId,
    template_key: CONFLICT,
    deduplicationKey,
    ...occurrence,
    variables: { ...variables, actor_kind: "scim" },
  };
}

function eventOf(id: string, companyId: number, data: Reported & { detail: string }): NewEvent & { companyId: number } {
  return { id, type: CONFLICT, companyId, data, actor: { kind: "scim" } };
}

/** Returns the statements that select the last changes of a directory and its last error. */
export const selectRecentChanges = (companyId: number) => ({
  changes: listLastChanges({ companyId, limit: SHOWN_CHANGES }),
  lastError: findLastError({ companyId }),
});

/** Returns the statement that selects a page of the changes of a directory, newest first. */
export const selectChanges = (companyId: number, filter: z.output<typeof scimEventFilter>, page: EventPage) =>
  listChanges({
    ...rangeOfPage(companyId, filter, page),
    ok: filter.ok ?? null,
    ...scanOfPage(page, filter.ok !== undefined),
  });

/** Returns a change of a directory. */
export const presentChange = ({ id, created_at, ...change }: ProvisioningRow) => ({
  id,
  at: iso(created_at),
  operation: change.operation,
  resource_type: change.resource_type,
  resource_id: change.resource_id,
  ok: change.ok,
  code: change.code,
  detail: change.detail,
});

/** Returns the last changes of a directory, newest first. */
export const presentRecentChanges = (rows: readonly ProvisioningRow[]) =>
  rows.map((row) => {
    const { id: _, ...change } = presentChange(row);
    return change;
  });

/** Returns the last error of a directory, or null. */
export function presentLastError(row: { last_error: ProvisioningError | null } | null) {
  const error = row?.last_error ?? null;
  return error && { ...error, at: iso(error.at) };
}
