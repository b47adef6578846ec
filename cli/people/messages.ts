import type { ImportResult } from "../../schemas/identity/people/imports.ts";

/** A sentence for each code of a row that was not imported, or only in part. */
const sentences: Readonly<Record<string, string>> = {
  required: "the value is missing",
  blank: "the value is empty",
  invalid: "the value is not valid",
  invalid_format: "this is not an email address",
  invalid_json: "this is not valid JSON",
  too_long: "the value is too long",
  too_many: "the list is too long",
  out_of_range: "the value is out of range",
  mismatch: "the line has another number of fields than the first line",
  duplicate: "an earlier row has the same address",
  staff_account: "the address belongs to a staff account",
  inactive_account: "the account is inactive",
  blocked_account: "the account is blocked or deleted in the export",
  unknown_group: "the company has no group of this name",
  group_read_only: "the directory manages this group",
  already_linked: "this account is linked to another person",
  unknown_provider: "the company cannot use this provider",
  user_shared: "not linked, because the person also belongs to another company",
  email_unverified: "not linked, because the export has not verified the address",
  access_removed: "no access given, because an administrator or the directory removed it",
  invitation_revoked: "no access given, because the invitation of the address was revoked",
};

/** The problems of a row by field. */
export type Problems = Record<string, string[]>;

/** Returns one text per field, such as `groups.0 (unknown_group): the company has no group of this name`. */
export function describeProblems(problems: Problems): string[] {
  return Object.entries(problems).flatMap(([field, codes]) =>
    codes.map((code) => `${field} (${code}): ${sentences[code] ?? "see docs/specification/imports.md"}`),
  );
}

/** Returns the problems for the column `import_error` of a file of rejected rows. */
export const toErrorText = (problems: Problems): string =>
  Object.entries(problems)
    .map(([field, codes]) => `${field}: ${codes.join(", ")}`)
    .join("; ");

export type Counts = Record<ImportResult["status"], number>;

/** Returns a sentence for columns that the import does not read. */
export const describeIgnored = (columns: readonly string[]): string => `Ignored columns: ${columns.join(", ")}.`;

type Stop = { total: number; isDryRun: boolean };

/** Returns a sentence with the number of rows that were processed when an import stops early. */
export function describeStop({ rejected, created, updated, unchanged }: Counts, { total, isDryRun }: Stop): string {
  const accepted = created + updated + unchanged;
  if (isDryRun) return `${accepted + rejected} of ${total} rows were checked.`;
  const others = rejected === 0 ? "" : `, and ${rejected} ${rejected === 1 ? "was" : "were"} rejected`;
  const hint = "Run the same command again to continue; repeated rows change nothing.";
  return `${accepted} of ${total} rows were imported${others}. ${hint}`;
}
