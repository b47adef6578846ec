import type { CompanyRow } from "../../../../db/identity/schema";
import { plainName } from "../../../../schemas/text/name";
import type { Bound } from "../../../kit/db/statement";
import type { IdentityServices } from "../../services";
import { findCompany } from "./company.store";

/** The read of a company, for a batch. */
export function selectCompany(companyId: number): Bound<CompanyRow> {
  return findCompany({ companyId });
}

/** What names a company to siblings and in the envelope of an event. */
export type CompanyName = { id: number; slug: string; name: string };

/** The name of a company. */
export function companyNameOf({ id, slug, name }: CompanyRow): CompanyName {
  return { id, slug, name };
}

/** The name of a company in mails: one from before the rule of names is shown by that rule, by its slug when nothing is left. */
export function mailedNameOf({ name, slug }: Pick<CompanyRow, "name" | "slug">): string {
  return plainName(name) || slug;
}

/** The name of the company with that id, or null. */
export async function findCompanyName(
  { db }: Pick<IdentityServices, "db">,
  companyId: number,
): Promise<CompanyName | null> {
  const row = await db.first(selectCompany(companyId));
  return row === null ? null : companyNameOf(row);
}
