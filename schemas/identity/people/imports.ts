import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { timeText } from "../../query";
import { addressSchema } from "../../text/address";
import { nameSchema } from "../../text/name";
import { lineSchema } from "../../text/text";

/** The maximum number of groups and provider accounts of an imported person. */
export const MAX_IMPORTED_GROUPS = 50;
export const MAX_PROVIDER_ACCOUNTS = 10;
const MAX_SUBJECT = 255;

/** An account at a sign-in provider. `provider` is the id of a provider, such as `google` or `oidc-acme`. */
const providerAccount = () =>
  z.object({
    provider: z.string("invalid").regex(/^[a-z0-9-]{1,60}$/, "invalid"),
    subject: lineSchema(MAX_SUBJECT),
    issuer: lineSchema(MAX_SUBJECT).optional(),
  });

/** A row of `import_people`. Missing fields keep the stored values. `created_at` is parsed to ms since the epoch. */
export const importRow = lazySchema(() =>
  z.object({
    email: addressSchema(),
    email_verified: z.boolean("invalid").default(false),
    first_name: nameSchema(150, { blank: true }).optional(),
    last_name: nameSchema(150, { blank: true }).optional(),
    language: z.enum(["en", "fr"], "invalid").optional(),
    time_zone: lineSchema(64).optional(),
    created_at: timeText().optional(),
    groups: z.array(lineSchema(150), "invalid").max(MAX_IMPORTED_GROUPS, "too_many").default([]),
    provider_accounts: z.array(providerAccount(), "invalid").max(MAX_PROVIDER_ACCOUNTS, "too_many").default([]),
  }),
);

export type ImportRow = z.output<typeof importRow>;

/** The row as requests send it, and as `export_people` returns it. */
export type ImportedPerson = z.input<typeof importRow>;

/** The reasons why a row, or a part of it, is not imported, next to the field codes of the API. */
export type ImportCode =
  /** an earlier row has the same address */
  | "duplicate"
  | "staff_account"
  | "inactive_account"
  /** the company has no such group */
  | "unknown_group"
  | "group_read_only"
  /** the provider's account is linked to another person */
  | "already_linked"
  | "unknown_provider"
  /** the person belongs to another company too, where the provider's account could sign in as well */
  | "user_shared"
  /** an administrator or the directory removed the person's access */
  | "access_removed"
  /** the address of an existing account is proven, but not that of the row */
  | "email_unverified"
  | "invitation_revoked";

/**
 * The result of a row. `rejected`: nothing was written, for the reasons in `errors`. `skipped`: parts of the row that were not
 * written, while the rest of it was.
 */
export type ImportResult = {
  status: "created" | "updated" | "unchanged" | "rejected";
  errors?: Record<string, string[]>;
  skipped?: Record<string, string[]>;
};

/** A person in the output of `export_people`. `import_people` reads these rows again, and ignores the fields after the first nine. */
export type ExportedPerson = Required<Omit<ImportedPerson, "language" | "time_zone">> & {
  language: string | null;
  time_zone: string | null;
  id: number;
  username: string;
  access_state: string;
  state_reason: string;
  is_company_owner: boolean;
  is_staff: boolean;
  last_seen_at: string | null;
  user_metadata: Record<string, unknown>;
};
