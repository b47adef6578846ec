import { and, eq, isNotNull, not, or, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isAllowed } from "../../../../db/identity/membership";
import { memberships, users } from "../../../../db/identity/schema";
import { boolean, json, nullable } from "../../../kit/db/kind";
import { from, q } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Bytes of metadata that may be kept for a person. */
export const MAX_METADATA_BYTES = 8192;

/**
 * What changes of a person in the view of a company: names that are not null, keys of the metadata to take out (an object
 * of nulls) and to put in, and whether the membership must be allowed, or must not; null for either.
 */
const change = {
  companyId: memberships.company_id,
  userId: memberships.user_id,
  firstName: nullable(users.first_name),
  lastName: nullable(users.last_name),
  taken: json<Record<string, null>>(),
  put: json<Record<string, unknown>>(),
  isAllowed: nullable(boolean),
};
type Change = Record<keyof typeof change, SQLWrapper>;

// Merging keys: those to take out are taken, then the text of the others is put behind what is left, so that two changes
// at a time are both kept and no value is rewritten on the way.
const merged = (own: SQLWrapper, { taken, put }: Change) =>
  sql`(select case when ${put} = '{}' then kept when kept = '{}' then ${put}
      else substr(kept, 1, length(kept) - 1) || ',' || substr(${put}, 2) end
    from (select json_patch(${own}, ${taken}) as kept))`;
const mayKeep = (own: SQLWrapper, p: Change) => sql`length(cast(${merged(own, p)} as blob)) <= ${MAX_METADATA_BYTES}`;
const hasState = (p: Change) => sql`(${p.isAllowed} is null or (${isAllowed()}) = ${p.isAllowed})`;

// A company alone with a person changes the account; beside others, or once it has a view of its own, it changes that
// view only. The two statements exclude each other.
const other = alias(memberships, "o");
const isMemberElsewhere = (p: Change) =>
  sql`exists (select 1 from ${from(other)} where ${other.user_id} = ${p.userId} and ${other.company_id} <> ${p.companyId})`;

/**
 * Names and metadata of an account that has no other company. Nothing changes when the metadata would outgrow its limit.
 */
export const changeAccountProfile = statement({ ...change, now: users.updated_at }, (p) => {
  const isWithoutView = sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
    and ${memberships.user_id} = ${p.userId} and ${memberships.profile} is null and ${hasState(p)})`;
  return q
    .update(users)
    .set({
      first_name: sql`coalesce(${p.firstName}, ${users.first_name})`,
      last_name: sql`coalesce(${p.lastName}, ${users.last_name})`,
      metadata: merged(users.metadata, p),
      updated_at: p.now,
    })
    .where(and(eq(users.id, p.userId), not(isMemberElsewhere(p)), mayKeep(users.metadata, p), isWithoutView));
});

/** As changeAccountProfile, for a person whom other companies see too: the company's own view. */
export const changeMembershipProfile = statement(change, (p) => {
  const own = (key: "first_name" | "last_name") => sql`${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}`;
  const ownMetadata = sql`coalesce(${memberships.profile} -> '$.metadata', ${users.metadata})`;
  return q
    .update(memberships)
    .set({
      profile: sql`json_object(
        'first_name', coalesce(${p.firstName}, ${own("first_name")}, ${users.first_name}),
        'last_name', coalesce(${p.lastName}, ${own("last_name")}, ${users.last_name}),
        'metadata', json(${merged(ownMetadata, p)}))`,
    })
    .from(users)
    .where(
      and(
        ...[eq(memberships.company_id, p.companyId), eq(memberships.user_id, p.userId), eq(users.id, p.userId)],
        ...[or(isNotNull(memberships.profile), isMemberElsewhere(p)), mayKeep(ownMetadata, p), hasState(p)],
      ),
    );
});
