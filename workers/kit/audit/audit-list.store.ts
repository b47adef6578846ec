import { and, desc, eq, lt } from "drizzle-orm";
import { audit_log } from "../../../db/kit/audit";
import { integer } from "../db/kind";
import { allColumns, queryBuilder } from "../db/query";
import { statement } from "../db/statement";

const { id, company_id } = audit_log;
const page = { beforeId: id, limit: integer };

/** Statement: a page of entries of all companies, newest first. */
export const listEntries = statement(page, (p) =>
  queryBuilder.select(allColumns(audit_log)).from(audit_log).where(lt(id, p.beforeId)).orderBy(desc(id)).limit(p.limit),
);

/** Selects a page of a company's entries, newest first. */
export const listEntriesOf = statement({ ...page, companyId: company_id }, (p) =>
  queryBuilder
    .select(allColumns(audit_log))
    .from(audit_log)
    .where(and(eq(company_id, p.companyId), lt(id, p.beforeId)))
    .orderBy(desc(id))
    .limit(p.limit),
);
