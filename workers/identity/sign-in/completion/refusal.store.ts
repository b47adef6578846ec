import { and, eq, sql } from "drizzle-orm";
import { freeUsername, userJson, usernameParameters } from "../../../../db/identity/conditions/company-user";
import { isAllowed, ownsCompany } from "../../../../db/identity/conditions/membership";
import { transitions } from "../../../../db/identity/conditions/transitions";
import { companies, event_log, memberships, preferences, users } from "../../../../db/identity/schema";
import { integer, nullable, text } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const address = {
  id: users.id,
  email: users.email,
  region: sql`${preferences.region}`.mapWith(nullable(text)),
  language: sql`case when ${preferences.language} = 'fr' then 'fr' else 'en' end`.mapWith(text),
};

/** Selects the addresses of the active owners, at most 50. */
export const findOwners = statement({ companyId: companies.id }, (p) =>
  queryBuilder
    .select(address)
    .from(memberships)
    .innerJoin(users, and(eq(users.id, memberships.user_id), eq(users.is_active, true)))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(and(eq(memberships.company_id, p.companyId), ownsCompany(memberships)))
    .limit(50),
);

export type Administrator = RowOfStatement<typeof findOwners>;

/** Selects the addresses of the company's active staff members, at most 50. They are notified when the company has no owner. */
export const findStaffMembers = statement({ companyId: companies.id }, (p) =>
  selectRows(
    address,
    (columns) => sql`select ${columns} from ${users} indexed by users_staff
      join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        and ${isAllowed()}
      left join ${preferences} on ${preferences.user_id} = ${users.id}
      where ${users.is_staff} = 1 and ${users.is_active} = 1 limit 50`,
  ),
);

/** Inserts the account of a user whose first sign-in by link is rejected, so that an administrator can decide about it. */
export const createRefusedUser = statement({ email: users.email, now: integer, ...usernameParameters }, (p) =>
  insertSelect(
    users,
    {
      email: p.email,
      email_verified_at: p.now,
      username: freeUsername(p),
      created_at: p.now,
      updated_at: p.now,
    },
    sql`where true on conflict (${columnName(users.email)}) do nothing`,
  ),
);

/** Inserts `identity.membership.requested` if the statement directly before it created the membership. */
export const insertRequestedEvent = statement(
  {
    email: users.email,
    companyId: event_log.company_id,
    eventId: event_log.id,
    source: text,
    state: memberships.state,
    now: integer,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        company_id: p.companyId,
        event_type: transitions.await.event,
        user_id: users.id,
        user_email: users.email,
        data: userJson(p.source, sql`, 'access_state', ${p.state}`),
        created_at: p.now,
      },
      sql`from ${users} left join ${preferences} on ${preferences.user_id} = ${users.id}
        where changes() > 0 and ${users.email} = ${p.email} on conflict do nothing`,
    ),
);
