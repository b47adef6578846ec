import type { CompanyQuotaRow, UserQuotaRow } from "../../../db/storage/schema";

/** Returns the remaining bytes of a cap, or null without a cap. */
const remainingOf = (max: number | null, used: number, reserved: number): number | null =>
  max === null ? null : Math.max(0, max - used - reserved);

type Company = Pick<
  CompanyQuotaRow,
  "company_id" | "max_bytes" | "max_bytes_per_user" | "used_bytes" | "reserved_bytes"
>;

/** Returns a company's quota for the response to a change. */
export const presentChangedCompany = ({ company_id, max_bytes, used_bytes, max_bytes_per_user }: Company) => ({
  company_id,
  max_bytes,
  used_bytes,
  max_bytes_per_user,
});

/** Returns a company's quota with reserved and remaining bytes. */
export const presentCompany = (row: Company) => ({
  ...presentChangedCompany(row),
  reserved_bytes: row.reserved_bytes,
  remaining_bytes: remainingOf(row.max_bytes, row.used_bytes, row.reserved_bytes),
});

type User = Pick<UserQuotaRow, "company_id" | "user_id" | "max_bytes" | "used_bytes" | "reserved_bytes">;

/** Returns a user's quota for the response to a change. */
export const presentChangedUser = ({ company_id, user_id, max_bytes, used_bytes }: User) => ({
  company_id,
  user_id,
  max_bytes,
  used_bytes,
});

/** Returns a user's quota with reserved bytes and the remaining bytes of the effective cap. */
export const presentUser = (row: User, perUser: number | null) => ({
  ...presentChangedUser(row),
  reserved_bytes: row.reserved_bytes,
  remaining_bytes: remainingOf(capOf(row.max_bytes, perUser), row.used_bytes, row.reserved_bytes),
});

/** Returns the effective cap of a user: their own, else the company's default. A cap of 0 means no limit. */
const capOf = (userCap: number | null, perUser: number | null): number | null => (userCap ?? perUser ?? 0) || null;

/** Returns the quotas of the company and of the member, as the member sees them. */
export function presentMemberQuota(
  row: Company & {
    user_max_bytes: number | null;
    user_used_bytes: number | null;
    user_reserved_bytes: number | null;
  },
  userId: number,
) {
  const { company_id, max_bytes, used_bytes, reserved_bytes, remaining_bytes } = presentCompany(row);
  const cap = capOf(row.user_max_bytes, row.max_bytes_per_user);
  const usedBytes = row.user_used_bytes ?? 0;
  const reserved = row.user_reserved_bytes ?? 0;
  return {
    company_id,
    company: { max_bytes, used_bytes, reserved_bytes, remaining_bytes },
    user: {
      user_id: userId,
      max_bytes: cap,
      used_bytes: usedBytes,
      reserved_bytes: reserved,
      remaining_bytes: remainingOf(cap, usedBytes, reserved),
    },
  };
}
