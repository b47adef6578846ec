import { eq } from "drizzle-orm";
import { companies } from "../../../../db/identity/schema";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Selects a company by id. */
export const findCompany = statement({ companyId: companies.id }, (p) =>
  queryBuilder.select(allColumns(companies)).from(companies).where(eq(companies.id, p.companyId)),
);
