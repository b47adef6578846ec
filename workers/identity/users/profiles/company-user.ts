import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { Bound } from "../../../kit/db/statement";
import { findCompanyUser, findCompanyUserByEmail } from "./company-user.store";

/** Returns the statement that selects a user as a company sees them. */
export function selectUser(companyId: number, userId: number): Bound<CompanyUserRow> {
  return findCompanyUser({ companyId, userId });
}

/** Returns the statement that selects the user with this address as a company sees them. */
export function selectUserByEmail(companyId: number, email: string): Bound<CompanyUserRow> {
  return findCompanyUserByEmail({ companyId, email });
}

/** Returns the name for the greeting of a mail: first name, else last name, else "". */
export function greetedName(user: Pick<CompanyUserRow, "first_name" | "last_name" | "profile">): string {
  const { first_name = user.first_name, last_name = user.last_name } = user.profile ?? {};
  return first_name || last_name;
}

/**
 * Returns the user's names and metadata as the row's company sees them. The profile of the membership takes precedence over
 * the account.
 */
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

/** Returns the name of a user as the row's company sees it, or the address when the user has no name. */
export const nameOrAddress = (user: CompanyUserRow): string => profileOf(user).name || user.email;

/** Returns the stored preferences, or the defaults. */
export function preferencesOf(user: CompanyUserRow) {
  return {
    themeName: user.theme_name ?? "default",
    language: user.language ?? "en",
    region: user.region ?? "UTC",
    colorScheme: user.color_scheme ?? "system",
  };
}
