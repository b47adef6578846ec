import { and, desc, eq, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { event_log, invitations, users } from "../../../../db/identity/schema";
import { MAX_SCANNED_ROWS } from "../../../kit/db/bounded-scan";
import { nullable, text } from "../../../kit/db/kind";
import { queryBuilder, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { company_id, id, user_id } = event_log;
/** The newest entries, from which the rejected sign-ins are selected. */
const newest = alias(event_log, "newest");

const refusal = {
  id: newest.id,
  created_at: newest.created_at,
  provider: newest.provider,
  code: sql`${newest.data} ->> '$.failure_reason'`.mapWith(nullable(text)),
};
const isRefusal = eq(newest.event_type, sql`'identity.auth.login.failed'`);
const newestFive = (columns: SQL, range: SQL, condition: SQL | undefined) =>
  sql`select ${columns} from (select * from ${range} order by ${desc(id)} limit ${MAX_SCANNED_ROWS}) newest
    where ${and(isRefusal, condition)} order by ${desc(newest.id)} limit 5`;

/** A person: the id of a user, or an address if the id is null. */
const person = { companyId: company_id, userId: nullable(users.id), email: nullable(users.email) };
type Person = Record<keyof typeof person, SQLWrapper>;

const emailOf = (p: Person) =>
  sql`coalesce((select ${users.email} from ${users} where ${users.id} = ${p.userId}), ${p.email})`;
const userIdOf = (p: Person) =>
  sql`coalesce(${p.userId}, (select ${users.id} from ${users} where ${users.email} = ${p.email}))`;

/** Selects the pending or revoked invitation of a person. */
export const findInvitationOfPerson = statement(person, (p) => {
  const { id: invitationId, status, group_ids, created_at, expires_at } = invitations;
  return queryBuilder
    .select({ id: invitationId, status, group_ids, created_at, expires_at })
    .from(invitations)
    .where(
      and(eq(invitations.company_id, p.companyId), eq(invitations.email, emailOf(p)), ne(status, sql`'accepted'`)),
    );
});

/** Selects the last five rejected sign-ins of a person's account among the newest entries about it. */
export const listRefusalsOfUser = statement(person, (p) =>
  selectRows(refusal, (columns) =>
    newestFive(
      columns,
      sql`${event_log} indexed by event_log_user where ${user_id} = ${userIdOf(p)} and ${company_id} = ${p.companyId}`,
      undefined,
    ),
  ),
);

/**
 * Selects the last five rejected sign-ins of a person's address among the newest entries of the company. An entry from before
 * the account existed has no user id.
 */
export const listRefusalsOfAddress = statement(person, (p) =>
  selectRows(refusal, (columns) =>
    newestFive(columns, sql`${event_log} where ${company_id} = ${p.companyId}`, eq(newest.user_email, emailOf(p))),
  ),
);

export type RefusalRow = RowOfStatement<typeof listRefusalsOfUser>;
