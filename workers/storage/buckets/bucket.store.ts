import { and, asc, eq } from "drizzle-orm";
import { storage_buckets } from "../../../db/storage/schema";
import { allColumns, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const b = storage_buckets;

/** Selects a bucket of a company by its name. */
export const findBucket = statement({ companyId: b.company_id, name: b.name }, (p) =>
  queryBuilder
    .select(allColumns(b))
    .from(b)
    .where(and(eq(b.company_id, p.companyId), eq(b.name, p.name))),
);

/** Selects all buckets of a company, ordered by name. */
export const listBuckets = statement({ companyId: b.company_id }, (p) =>
  queryBuilder.select(allColumns(b)).from(b).where(eq(b.company_id, p.companyId)).orderBy(asc(b.name)),
);
