import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { profileOf } from "./company-user";
import { changeAccountProfile, changeMembershipProfile, MAX_METADATA_BYTES } from "./profile.store";

/** A profile change in one company: names as they are stored, and metadata keys to merge (null removes a key). */
export type ProfileChange = { firstName?: string; lastName?: string; data?: Record<string, unknown> };

const MAX_DEPTH = 32;
const ADMIN_ONLY_FIELDS = ["is_staff", "is_superuser", "is_company_owner"];
// Names, privileges and groups are stored elsewhere and the other keys are computed, so none of them may be metadata.
const RESERVED_KEYS = new Set([
  ...ADMIN_ONLY_FIELDS,
  "name",
  "full_name",
  "first_name",
  "last_name",
  "groups",
  "groups_truncated",
  "group_ids",
  "avatar_url",
  "last_seen_at",
  "platformPreferences",
]);

/** Throws 400 `admin_only_field` when the body of a user change contains a privilege. */
export function refuseAdminFields(body: Record<string, unknown>): void {
  const adminFields = ADMIN_ONLY_FIELDS.filter((field) => Object.hasOwn(body, field));
  if (adminFields.length === 0) return;
  throw new Problem("admin_only_field", {
    field_errors: Object.fromEntries(adminFields.map((field) => [field, ["not_allowed"]])),
  });
}

/**
 * Returns metadata without reserved keys. Throws 400 `data: [too_long]` for more than 8 KiB. Throws `[invalid]` for values
 * nested deeper than 32 levels, and for a key with U+0000, because SQLite cuts a key at this character and would change
 * another key.
 */
export function readMetadata(data: Record<string, unknown>): Record<string, unknown> {
  const hasNul = Object.keys(data).some((key) => key.includes("\u0000"));
  if (hasNul || !isShallow(data, MAX_DEPTH)) throw invalid({ data: ["invalid"] });
  if (bytesOf(data) > MAX_METADATA_BYTES) throw invalid({ data: ["too_long"] });
  return Object.fromEntries(Object.entries(data).filter(([key]) => !RESERVED_KEYS.has(key)));
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Returns the merged metadata: a key of `data` replaces the existing one, null removes it. */
function mergeMetadata(metadata: Record<string, unknown>, data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...metadata, ...data }).filter(([, value]) => value !== null));
}

/** Throws 400 `data: [too_long]` when the metadata would exceed 8 KiB with `data` merged in. */
export function requireMetadataFits(user: CompanyUserRow, data: Record<string, unknown> = {}): void {
  const { metadata } = profileOf(user);
  if (bytesOf(mergeMetadata(metadata, data)) > MAX_METADATA_BYTES) throw invalid({ data: ["too_long"] });
}

/** Returns the changed fields by the names that events use: `first_name`, `last_name`, `user_metadata`. */
export function changedProfileFields(user: CompanyUserRow, change: ProfileChange): string[] {
  const { first_name, last_name, metadata } = profileOf(user);
  const { firstName = first_name, lastName = last_name, data = {} } = change;
  const isChanged = ([key, value]: [string, unknown]) =>
    value === null ? Object.hasOwn(metadata, key) : JSON.stringify(value) !== JSON.stringify(metadata[key]);
  return [
    ...(firstName === first_name ? [] : ["first_name"]),
    ...(lastName === last_name ? [] : ["last_name"]),
    ...(Object.entries(data).some(isChanged) ? ["user_metadata"] : []),
  ];
}

/**
 * Returns the statements that change names and metadata for one company: in the account if it has no other company and the
 * membership has no profile, else in the profile of the membership. `entries` creates the statements of the event and the
 * audit entry. They run after each of the two changes, and insert rows only after the one that changed a row. With
 * `isAllowed`, nothing changes unless the membership is in the state `allowed` (true) or in another state (false).
 */
export async function storeProfile(
  { clock }: Pick<IdentityServices, "clock">,
  target: { companyId: number; userId: number },
  change: ProfileChange,
  entries: () => Promise<Bound[]>,
  isAllowed: boolean | null = null,
): Promise<Bound[]> {
  const { firstName = null, lastName = null, data = {} } = change;
  const keys = Object.entries(data);
  const removed = Object.fromEntries(keys.map(([key]) => [key, null]));
  const put = Object.fromEntries(keys.filter(([, value]) => value !== null));
  const values = { ...target, firstName, lastName, removed, put, isAllowed };
  return [
    followedBy(changeAccountProfile({ ...values, now: clock.now() }), ...(await entries())),
    followedBy(changeMembershipProfile(values), ...(await entries())),
  ];
}
