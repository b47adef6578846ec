import { and, eq, gt, sql } from "drizzle-orm";
import { appliesToList } from "../../../../db/email/conditions/blocked";
import { newsletters, subscribers, suppressions, unsubscribes } from "../../../../db/email/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import { isInList, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const hashes = json<readonly string[]>();

/**
 * Statement: the hashes among these that have unsubscribed from one of the categories of mail to the newsletter `listId` (null: to
 * no newsletter).
 */
export const findUnsubscribed = statement(
  { companyId: unsubscribes.company_id, hashes, listId: nullable(integer), categories: json<readonly string[]>() },
  (p) =>
    queryBuilder
      .select({ email_hmac: unsubscribes.email_hmac })
      .from(unsubscribes)
      .where(
        and(
          eq(unsubscribes.company_id, p.companyId),
          isInList(unsubscribes.email_hmac, p.hashes),
          isInList(unsubscribes.category, p.categories),
          appliesToList(p.listId),
        ),
      ),
);

/** Statement: the hashes among these that are suppressed in the bulk lane. */
export const findSuppressed = statement({ companyId: suppressions.company_id, hashes, now: integer }, (p) => {
  const { company_id, email_hmac, lanes, expires_at } = suppressions;
  return queryBuilder
    .select({ email_hmac })
    .from(suppressions)
    .where(
      and(
        eq(company_id, p.companyId),
        isInList(email_hmac, p.hashes),
        sql`(${expires_at} is null or ${expires_at} > ${p.now})`,
        sql`(${lanes} = '[]' or exists (select 1 from json_each(${lanes}) l where l.value = 'bulk'))`,
      ),
    );
});

/** Statement: the number of confirmed subscribers of a newsletter of the company. */
export const countConfirmed = statement({ id: newsletters.id, companyId: newsletters.company_id }, (p) =>
  queryBuilder
    .select({ confirmed: newsletters.confirmed })
    .from(newsletters)
    .where(and(eq(newsletters.id, p.id), eq(newsletters.company_id, p.companyId))),
);

/** Statement: the first confirmed subscribers of a newsletter. */
export const listConfirmed = statement({ id: subscribers.list_id, limit: integer }, (p) =>
  queryBuilder
    .select({
      email_hmac: subscribers.email_hmac,
      email_masked: subscribers.email_masked,
      language: subscribers.language,
    })
    .from(subscribers)
    .where(and(eq(subscribers.list_id, p.id), eq(subscribers.status, "confirmed"), gt(subscribers.id, sql`0`)))
    .orderBy(subscribers.id)
    .limit(p.limit),
);
