import { and, asc, eq } from "drizzle-orm";
import { storage_buckets } from "../../../db/storage/schema";
import { allColumns, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Selects a bucket of a company by its name. */
export const findBucket = statement({ companyId: storage_buckets.company_id, name: storage_buckets.name }, (p) =>
  queryBuilder
    .select(allColumns(storage_buckets))
    .from(storage_buckets)
    .where(and(eq(storage_buckets.company_id, p.companyId), eq(storage_buckets.name, p.name))),
);

/** Selects all buckets of a company, ordered by name. */
export const listBuckets = statement({ companyId: storage_buckets.company_id }, (p) =>
  queryBuilder
    .select(allColumns(storage_buckets))
    .from(storage_buckets)
    .where(eq(storage_buckets.company_id, p.companyId))
    .orderBy(asc(storage_buckets.name)),
);
