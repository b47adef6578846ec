import { and, eq, inArray, notInArray, type SQLWrapper, sql } from "drizzle-orm";
import { areAllowed, hasOtherOwner, ownsCompany } from "../../../../db/identity/conditions/membership";
import { isAllowedMember, isCompanyActive } from "../../../../db/identity/conditions/write-checks";
import { memberships, users } from "../../../../db/identity/schema";
import { boolean, json } from "../../../kit/db/kind";
import { jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { company_id, user_id, state, state_reason, is_owner } = memberships;

/** Selects the state of a membership. */
export const findMembership = statement({ companyId: company_id, userId: user_id }, (p) =>
  queryBuilder
    .select({ state, state_reason, is_owner })
    .from(memberships)
    .where(and(eq(company_id, p.companyId), eq(user_id, p.userId))),
);

/** Selects the companies of an account, and whether the account is the last owner of each. */
export const findMembershipsOfAccount = statement({ email: users.email }, (p) =>
  queryBuilder
    .select({
      company_id,
      is_last: sql`${ownsCompany(memberships)} and not ${hasOtherOwner(company_id, user_id)}`.mapWith(boolean),
    })
    .from(users)
    .innerJoin(memberships, eq(user_id, users.id))
    .where(eq(users.email, p.email)),
);

/** Selects the users who may act in the company while it is active: active accounts that are allowed members, or staff. */
export const findActiveMembers = statement({ companyId: company_id, userIds: json<number[]>() }, (p) => {
  const user = jsonEach(p.userIds);
  return selectRows(
    { id: users.id },
    (columns) => sql`select ${columns} from ${user.from} cross join ${users} on ${users.id} = ${user.value}
        where ${users.is_active} = 1 and ${isCompanyActive(p.companyId)}
          and (${users.is_staff} = 1 or ${isAllowedMember(p.companyId, users.id)})`,
  );
});

/** Selects the users who belong to the company while it is active, whatever their access is, and active staff. */
export const findMembers = statement({ companyId: company_id, userIds: json<number[]>() }, (p) => {
  const user = jsonEach(p.userIds);
  return selectRows(
    { id: users.id },
    (columns) => sql`select ${columns} from ${user.from} cross join ${users} on ${users.id} = ${user.value}
        where ${isCompanyActive(p.companyId)} and (${users.is_staff} = 1 and ${users.is_active} = 1
          or exists (select 1 from ${memberships} where ${company_id} = ${p.companyId} and ${user_id} = ${users.id}))`,
  );
});

const owners = { companyId: company_id, owners: json<number[]>() };
const listed = (ids: SQLWrapper) => sql`(select value from json_each(${ids}))`;

/** Makes the listed members owners if all of them are allowed members. */
export const addOwners = statement(owners, (p) =>
  queryBuilder
    .update(memberships)
    .set({ is_owner: true })
    .where(
      and(
        eq(company_id, p.companyId),
        inArray(user_id, listed(p.owners)),
        eq(is_owner, false),
        areAllowed(p.companyId, p.owners),
      ),
    ),
);

/** Removes the ownership of all members who are not listed, if all listed members are allowed members. */
export const removeOtherOwners = statement(owners, (p) =>
  queryBuilder
    .update(memberships)
    .set({ is_owner: false })
    .where(
      and(
        eq(company_id, p.companyId),
        eq(is_owner, true),
        notInArray(user_id, listed(p.owners)),
        areAllowed(p.companyId, p.owners),
      ),
    ),
);
