import { and, eq, gt, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { freeUsername, userEventData, usernameParameters } from "../../../../db/identity/conditions/company-user";
import {
  auth_codes,
  event_log,
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { integer, json, text } from "../../../kit/db/kind";
import { columnName, insertSelect, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// Statements of operator commands. Only these commands grant staff status or make a staff account a member of a company.

const email = { email: users.email };
const inCompany = { ...email, companyId: memberships.company_id };
const now = integer;

/** Inserts an account with an unproven email address. */
export const createAccount = statement({ ...email, now, ...usernameParameters }, (p) =>
  insertSelect(
    users,
    { email: p.email, username: freeUsername(p), created_at: p.now, updated_at: p.now },
    sql`where true on conflict (${columnName(users.email)}) do nothing`,
  ),
);

/** Selects the account with this email address. */
export const findAccount = statement(email, (p) => {
  const { id, is_active, is_staff } = users;
  return queryBuilder.select({ id, is_active, is_staff }).from(users).where(eq(users.email, p.email));
});

/** Selects the active staff with their languages, at most 50, the oldest accounts first. */
export const findActiveStaff = statement({}, () => {
  const language = sql`case when ${preferences.language} = 'fr' then 'fr' else 'en' end`.mapWith(text);
  return selectRows(
    { id: users.id, email: users.email, language: language as SQL<"en" | "fr"> },
    (columns) => sql`select ${columns} from ${users} indexed by users_staff
      left join ${preferences} on ${preferences.user_id} = ${users.id}
      where ${users.id} > 0 and ${users.is_staff} = 1 and ${users.is_active} = 1 order by ${users.id} limit 50`,
  );
});

type InCompany = Record<keyof typeof inCompany, SQLWrapper>;

const isNewStaff = (p: InCompany) =>
  sql`${users.email} = ${p.email} and ${users.is_staff} = 0 and ${users.is_active} = 1
    and not exists (select 1 from ${memberships} where ${memberships.user_id} = ${users.id}
      and ${memberships.company_id} <> ${p.companyId})`;
const idOfNewStaff = (p: InCompany) => sql`(select ${users.id} from ${users} where ${isNewStaff(p)})`;

// An earlier sign-in may have used a method that must not open a staff session, such as the company's own OpenID provider. So
// the account's sessions, tokens and codes end before staff status is granted.

/** Revokes the sessions of an account that becomes staff. */
export const endSessionsBeforeGrant = statement({ ...inCompany, now }, (p) =>
  queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: "staff_granted" })
    .where(
      and(eq(sessions.company_id, p.companyId), isNull(sessions.revoked_at), eq(sessions.user_id, idOfNewStaff(p))),
    ),
);

/** Revokes the personal access tokens of an account that becomes staff. */
export const endPatsBeforeGrant = statement({ ...inCompany, now }, (p) => {
  const { company_id, user_id, revoked_at } = personal_access_tokens;
  return queryBuilder
    .update(personal_access_tokens)
    .set({ revoked_at: p.now })
    .where(and(eq(company_id, p.companyId), isNull(revoked_at), eq(user_id, idOfNewStaff(p))));
});

// Links and codes are marked as used instead of expired, because an isolate whose clock is behind would still accept an
// expired one.

/** Ends the unredeemed auth codes of an account that becomes staff. */
export const endCodesBeforeGrant = statement({ ...inCompany, now }, (p) => {
  const { company_id, user_id, expires_at, redeemed_at } = auth_codes;
  return queryBuilder
    .update(auth_codes)
    .set({ redeemed_at: p.now })
    .where(and(eq(company_id, p.companyId), gt(expires_at, p.now), isNull(redeemed_at), eq(user_id, idOfNewStaff(p))));
});

/** Grants staff status to an active account that has no membership in another company. */
export const grantStaff = statement({ ...inCompany, now }, (p) =>
  queryBuilder.update(users).set({ is_staff: true, updated_at: p.now }).where(isNewStaff(p)),
);

/** Inserts an event about an account in each listed company if the statement directly before it changed a row. */
export const insertCommandEvents = statement(
  {
    ...email,
    companies: json<{ company_id: number; event_id: string }[]>(),
    type: event_log.event_type,
    details: json<Record<string, unknown>>(),
    now,
  },
  (p) => {
    const company = jsonEach(p.companies);
    return insertSelect(
      event_log,
      {
        id: company.item.event_id,
        company_id: company.item.company_id,
        event_type: p.type,
        user_id: users.id,
        user_email: users.email,
        data: userEventData(sql`'command'`, p.details),
        actor: '{"kind":"system"}',
        created_at: p.now,
      },
      sql`from ${company.from} cross join ${users} on ${users.email} = ${p.email}
        left join ${preferences} on ${preferences.user_id} = ${users.id} where changes() > 0 on conflict do nothing`,
    );
  },
);

/** Revokes staff status and returns the account's id. */
export const revokeStaff = statement({ ...email, now }, (p) =>
  queryBuilder
    .update(users)
    .set({ is_staff: false, updated_at: p.now })
    .where(and(eq(users.email, p.email), eq(users.is_staff, true)))
    .returning({ id: users.id }),
);

/** Ends every open link and code of a staff account, so that no link sent before the grant signs in as staff. */
export const endLinksOfStaff = statement({ email: sign_in_requests.email, now }, (p) =>
  queryBuilder
    .update(sign_in_requests)
    .set({ consumed_at: p.now })
    .where(
      sql`${sign_in_requests.email} = ${p.email} and ${sign_in_requests.expires_at} > ${p.now}
        and ${sign_in_requests.consumed_at} is null
        and exists (select 1 from ${users} where ${users.email} = ${p.email} and ${users.is_staff} = 1)`,
    ),
);
