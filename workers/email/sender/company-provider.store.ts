import type { company_providers } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type CompanyProviderRow = typeof company_providers.$inferSelect;

/** Bind: company id. The provider row of a company, or nothing. */
export const providerOfCompany = sql("SELECT * FROM company_providers WHERE company_id = ?1");
