import { and, eq, sql } from "drizzle-orm";
import { company_quotas, event_log, storage_buckets } from "../../../db/storage/schema";
import { text } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Selects the row of a company. Returns no row before its first use. */
export const findCompany = statement({ companyId: company_quotas.company_id }, (p) =>
  queryBuilder
    .select(allColumns(company_quotas))
    .from(company_quotas)
    .where(eq(company_quotas.company_id, p.companyId)),
);

/** Inserts a company on its first use, with the default caps. */
export const addCompany = statement(
  {
    companyId: company_quotas.company_id,
    slug: company_quotas.slug,
    name: company_quotas.name,
    maxBytes: company_quotas.max_bytes,
    maxBytesPerUser: company_quotas.max_bytes_per_user,
    now: company_quotas.named_at,
  },
  (p) =>
    queryBuilder
      .insert(company_quotas)
      .values({
        company_id: p.companyId,
        slug: p.slug,
        name: p.name,
        named_at: p.now,
        max_bytes: p.maxBytes,
        max_bytes_per_user: p.maxBytesPerUser,
      } as never)
      .onConflictDoNothing(),
);

/** Stores the current names of a company, as identity has them. */
export const updateCompanyNames = statement(
  {
    companyId: company_quotas.company_id,
    slug: company_quotas.slug,
    name: company_quotas.name,
    now: company_quotas.named_at,
  },
  (p) =>
    queryBuilder
      .update(company_quotas)
      .set({ slug: p.slug, name: p.name, named_at: p.now })
      .where(eq(company_quotas.company_id, p.companyId)),
);

/** Inserts the bucket `company`, which every company has. Of several parallel requests, only the first inserts it. */
export const addCompanyBucket = statement(
  {
    id: storage_buckets.id,
    companyId: storage_buckets.company_id,
    name: storage_buckets.name,
    now: storage_buckets.created_at,
  },
  (p) =>
    queryBuilder
      .insert(storage_buckets)
      .values({
        id: p.id,
        company_id: p.companyId,
        name: p.name,
        display_name: "Company files",
        kind: "company",
        created_at: p.now,
        updated_at: p.now,
      } as never)
      .onConflictDoNothing(),
);

/** Inserts the event of a new bucket if the same batch has created the bucket. */
export const addBucketEvent = statement(
  {
    id: event_log.id,
    companyId: event_log.company_id,
    data: text,
    userId: event_log.user_id,
    email: event_log.actor_email,
    actor: event_log.actor,
    bucketId: storage_buckets.id,
    now: event_log.created_at,
  },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: "storage.bucket.created",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: p.data as never,
        created_at: p.now,
      },
      sql`where exists (select 1 from ${storage_buckets} where ${and(eq(storage_buckets.id, p.bucketId), eq(storage_buckets.company_id, p.companyId))})`,
    )} on conflict do nothing`,
);
