import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { Bound } from "../../../kit/db/statement";
import { findCompanyUser, findCompanyUserByEmail } from "./company-user.store";

/** The read of a person as a company sees them, for a batch. */
export function selectUser(companyId: number, userId: number): Bound<CompanyUserRow> {
  return findCompanyUser({ companyId, userId });
}

/** The read of the person with that address as a company sees them, for a batch. */
export function selectUserByEmail(companyId: number, email: string): Bound<CompanyUserRow> {
  return findCompanyUserByEmail({ companyId, email });
}

/** How a mail greets somebody: by the first name, else by all that is known; "" when nothing is. */
export function greetedName(user: Pick<CompanyUserRow, "first_name" | "last_name" | "profile">): string {
  const { first_name = user.first_name, last_name = user.last_name } = user.profile ?? {};
  return first_name || last_name;
}

/** Names and own metadata as the company of the row sees them: the membership's profile wins. */
export function profileOf(user: CompanyUserRow): {
  first_name: string;
  last_name: string;
  name: string;
  metadata: Record<string, unknown>;
} {
  const { first_name = user.first_name, last_name = user.last_name, metadata = user.metadata } = user.profile ?? {};
  const name = [first_name, last_name].filter((part) => part !== "").join(" ");
  return { first_name, last_name, name, metadata };
}

/** Stored preferences or their defaults. */
export function preferencesOf(user: CompanyUserRow) {
  return {
    themeName: user.theme_name ?? "default",
    language: user.language ?? "en",
    region: user.region ?? "UTC",
    colorScheme: user.color_scheme ?? "system",
  };
}
