import type { ExportedPerson } from "../../../../schemas/identity/people/imports";
import { iso } from "../../../kit/time";
import { storableData } from "../../../kit/webhooks/event-store/new-event";
import { selectCompany } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { requireCompany, type TransferCaller } from "./import";
import { insertTransferEvent } from "./import-event.store";
import { type ExportedRow, listExported } from "./import-read.store";

const PAGE = 500;
/** The number of pages of one call, far below the number of queries that a Worker may make. */
const MAX_PAGES = 200;

/**
 * Passes the members of a company to `write`, page by page in the order of their ids, beginning after the id `after`. Stores an
 * audit entry first. Returns the number of members, and the id after which another call continues, or null at the end. Stops
 * when `write` returns false. Throws CommandRefusal for an unknown company.
 */
export async function exportPeople(
  { db, clock, newEventId }: IdentityServices,
  { companyId, caller, after }: { companyId: number; caller: TransferCaller; after: number },
  write: (people: ExportedPerson[]) => Promise<boolean>,
): Promise<{ people: number; next: number | null }> {
  requireCompany(companyId, await db.first(selectCompany(companyId)));
  let cursor = after;
  let people = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const entry = insertTransferEvent({
      id: newEventId(),
      companyId,
      type: "identity.people.exported",
      callerId: caller.userId,
      actor: caller.actor,
      data: storableData({ after }),
      now: clock.now(),
    });
    const { rows } = await db.batch({
      entry: page === 0 ? entry : null,
      rows: listExported({ companyId, after: cursor, limit: PAGE }),
    });
    people += rows.rows.length;
    cursor = rows.rows.at(-1)?.id ?? cursor;
    const isConnected = rows.rows.length === 0 || (await write(rows.rows.map(presentPerson)));
    if (rows.rows.length < PAGE || !isConnected) return { people, next: null };
  }
  return { people, next: cursor };
}

const time = (ms: number | null) => (ms === null ? null : iso(ms));

function presentPerson(row: ExportedRow): ExportedPerson {
  return {
    email: row.email,
    email_verified: row.email_verified_at !== null,
    first_name: row.first_name,
    last_name: row.last_name,
    language: row.language,
    time_zone: row.region,
    created_at: iso(row.created_at),
    groups: row.groups,
    provider_accounts: row.accounts,
    id: row.id,
    username: row.username,
    access_state: row.state,
    state_reason: row.state_reason,
    is_company_owner: row.is_owner,
    is_staff: row.is_staff,
    last_seen_at: time(row.last_seen_at),
    user_metadata: row.user_metadata,
  };
}
