import type { CompanyRow } from "../../../../db/identity/schema";
import { plainName } from "../../../../schemas/text/name";
import type { Bound } from "../../../kit/db/statement";
import type { IdentityServices } from "../../services";
import { findCompany } from "./company.store";

/** Returns the statement that selects a company. */
export function selectCompany(companyId: number): Bound<CompanyRow> {
  return findCompany({ companyId });
}

/** The company fields that other services and event envelopes receive. */
export type CompanyName = { id: number; slug: string; name: string };

/** Returns the id, slug and name of a company. */
export function companyNameOf({ id, slug, name }: CompanyRow): CompanyName {
  return { id, slug, name };
}

/**
 * Returns the company name for mails. Cleans names that were stored before the naming rules existed, and falls back to the
 * slug when nothing is left.
 */
export function mailedNameOf({ name, slug }: Pick<CompanyRow, "name" | "slug">): string {
  return plainName(name) || slug;
}

/** Returns the name of the company with that id, or null. */
export async function findCompanyName(
  { db }: Pick<IdentityServices, "db">,
  companyId: number,
): Promise<CompanyName | null> {
  const row = await db.first(selectCompany(companyId));
  return row === null ? null : companyNameOf(row);
}
