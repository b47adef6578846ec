import { and, eq, isNotNull, not, or, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isAllowed } from "../../../../db/identity/conditions/membership";
import { memberships, users } from "../../../../db/identity/schema";
import { boolean, json, nullable } from "../../../kit/db/kind";
import { queryBuilder, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Maximum bytes of metadata per user. */
export const MAX_METADATA_BYTES = 8192;

/**
 * The parameters of a profile change. A name that is null stays unchanged. `removed` is an object of nulls whose keys are
 * the metadata keys to remove; `put` has the keys to set. `isAllowed` says whether the membership must be allowed; null
 * accepts any state.
 */
const change = {
  companyId: memberships.company_id,
  userId: memberships.user_id,
  firstName: nullable(users.first_name),
  lastName: nullable(users.last_name),
  removed: json<Record<string, null>>(),
  put: json<Record<string, unknown>>(),
  isAllowed: nullable(boolean),
};
type Change = Record<keyof typeof change, SQLWrapper>;

// Merges metadata in SQL: removes keys with json_patch, then appends the JSON text of the new keys. So parallel changes are
// both kept, and values keep their exact JSON text.
const merged = (metadata: SQLWrapper, { removed, put }: Change) =>
  sql`(select case when ${put} = '{}' then remaining when remaining = '{}' then ${put}
      else substr(remaining, 1, length(remaining) - 1) || ',' || substr(${put}, 2) end
    from (select json_patch(${metadata}, ${removed}) as remaining))`;
const fitsLimit = (metadata: SQLWrapper, p: Change) =>
  sql`length(cast(${merged(metadata, p)} as blob)) <= ${MAX_METADATA_BYTES}`;
const hasState = (p: Change) => sql`(${p.isAllowed} is null or (${isAllowed()}) = ${p.isAllowed})`;

// When the company is the user's only one, a change is stored in the account. When the user has other companies, or the
// membership already has a profile, the change is stored in the profile of the membership. The conditions of the two
// statements exclude each other.
const other = alias(memberships, "other");
const isMemberElsewhere = (p: Change) =>
  sql`exists (select 1 from ${tableReference(other)} where ${other.user_id} = ${p.userId} and ${other.company_id} <> ${p.companyId})`;

/**
 * Changes names and metadata of an account that has no other company and whose membership has no profile. Changes nothing when
 * the metadata would exceed MAX_METADATA_BYTES.
 */
export const changeAccountProfile = statement({ ...change, now: users.updated_at }, (p) => {
  const hasNoProfile = sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
    and ${memberships.user_id} = ${p.userId} and ${memberships.profile} is null and ${hasState(p)})`;
  return queryBuilder
    .update(users)
    .set({
      first_name: sql`coalesce(${p.firstName}, ${users.first_name})`,
      last_name: sql`coalesce(${p.lastName}, ${users.last_name})`,
      metadata: merged(users.metadata, p),
      updated_at: p.now,
    })
    .where(and(eq(users.id, p.userId), not(isMemberElsewhere(p)), fitsLimit(users.metadata, p), hasNoProfile));
});

/** Changes the profile of the membership, if the user has other companies or the profile exists. */
export const changeMembershipProfile = statement(change, (p) => {
  const profileName = (key: "first_name" | "last_name") => sql`${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}`;
  const memberMetadata = sql`coalesce(${memberships.profile} -> '$.metadata', ${users.metadata})`;
  return queryBuilder
    .update(memberships)
    .set({
      profile: sql`json_object(
        'first_name', coalesce(${p.firstName}, ${profileName("first_name")}, ${users.first_name}),
        'last_name', coalesce(${p.lastName}, ${profileName("last_name")}, ${users.last_name}),
        'metadata', json(${merged(memberMetadata, p)}))`,
    })
    .from(users)
    .where(
      and(
        ...[eq(memberships.company_id, p.companyId), eq(memberships.user_id, p.userId), eq(users.id, p.userId)],
        ...[or(isNotNull(memberships.profile), isMemberElsewhere(p)), fitsLimit(memberMetadata, p), hasState(p)],
      ),
    );
});
