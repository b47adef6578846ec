import { and, count, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { companies, scim_tokens } from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { company_id, id, name, token_hash, token_prefix, created_at, last_used_at, revoked_at } = scim_tokens;
const listed = { id, name, token_prefix, created_at, last_used_at, revoked_at };

/** Selects a live token by its hash, with its company. */
export const findClient = statement({ hash: token_hash }, (p) =>
  queryBuilder
    .select({ ...allColumns(companies), token_id: id, last_used_at })
    .from(scim_tokens)
    .innerJoin(companies, eq(companies.id, company_id))
    .where(and(eq(token_hash, p.hash), isNull(revoked_at))),
);

/** A company with the live token of its directory. */
export type ClientRow = RowOfStatement<typeof findClient>;

/** Stores that the token was used, unless it was used since `before`. */
export const touchToken = statement({ id, now: integer, before: integer }, (p) =>
  queryBuilder
    .update(scim_tokens)
    .set({ last_used_at: p.now })
    .where(and(eq(id, p.id), or(isNull(last_used_at), lt(last_used_at, p.before)))),
);

/** Selects the tokens before `before`, newest first. */
export const listTokens = statement({ companyId: company_id, before: id, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(listed)
    .from(scim_tokens)
    .where(and(eq(company_id, p.companyId), lt(id, p.before)))
    .orderBy(desc(id))
    .limit(p.limit)
    .offset(p.offset),
);

export type TokenRow = RowOfStatement<typeof listTokens>;

/** Selects the number of tokens of a company, and how many are live. */
export const countTokens = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ total: count(), live: sql`count(*) filter (where ${revoked_at} is null)`.mapWith(integer) })
    .from(scim_tokens)
    .where(eq(company_id, p.companyId)),
);

/** Selects a token of the company. */
export const findToken = statement({ companyId: company_id, id }, (p) =>
  queryBuilder
    .select(listed)
    .from(scim_tokens)
    .where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Inserts a token, unless the company has `max` live ones. A repeated insert changes nothing. */
export const insertToken = statement(
  { companyId: company_id, id, name, hash: token_hash, prefix: token_prefix, now: created_at, max: integer },
  (p) =>
    insertSelect(
      scim_tokens,
      {
        id: p.id,
        company_id: p.companyId,
        name: p.name,
        token_hash: p.hash,
        token_prefix: p.prefix,
        created_at: p.now,
      },
      sql`where (select count(*) from ${scim_tokens} where ${company_id} = ${p.companyId} and ${revoked_at} is null) < ${p.max}
        on conflict do nothing`,
    ),
);

/** Revokes a live token. */
export const revokeToken = statement({ companyId: company_id, id, now: integer }, (p) =>
  queryBuilder
    .update(scim_tokens)
    .set({ revoked_at: p.now })
    .where(and(eq(id, p.id), eq(company_id, p.companyId), isNull(revoked_at))),
);
