import type { CompanyQuotaRow, UserQuotaRow } from "../../../db/storage/schema";

/** What is left of a cap; null without one. */
const left = (max: number | null, used: number, reserved: number): number | null =>
  max === null ? null : Math.max(0, max - used - reserved);

type Company = Pick<
  CompanyQuotaRow,
  "company_id" | "max_bytes" | "max_bytes_per_user" | "used_bytes" | "reserved_bytes"
>;

/** A company's quota as a change answers it. */
export const presentChangedCompany = ({ company_id, max_bytes, used_bytes, max_bytes_per_user }: Company) => ({
  company_id,
  max_bytes,
  used_bytes,
  max_bytes_per_user,
});

/** The same with what open uploads hold, and what is left. */
export const presentCompany = (row: Company) => ({
  ...presentChangedCompany(row),
  reserved_bytes: row.reserved_bytes,
  remaining_bytes: left(row.max_bytes, row.used_bytes, row.reserved_bytes),
});

type User = Pick<UserQuotaRow, "company_id" | "user_id" | "max_bytes" | "used_bytes" | "reserved_bytes">;

/** A user's quota as a change answers it. */
export const presentChangedUser = ({ company_id, user_id, max_bytes, used_bytes }: User) => ({
  company_id,
  user_id,
  max_bytes,
  used_bytes,
});

/** The same with what open uploads hold, and what is left of the cap that holds: the user's own, else the company's default. */
export const presentUser = (row: User, perUser: number | null) => ({
  ...presentChangedUser(row),
  reserved_bytes: row.reserved_bytes,
  remaining_bytes: left(capOf(row.max_bytes, perUser), row.used_bytes, row.reserved_bytes),
});

/** The cap that holds for a user: their own, else the default of the company; 0 is none. */
const capOf = (own: number | null, perUser: number | null): number | null => (own ?? perUser ?? 0) || null;

/** What a member sees of both. */
export function presentOwn(
  row: Company & {
    own_max_bytes: number | null;
    own_used_bytes: number | null;
    own_reserved_bytes: number | null;
  },
  userId: number,
) {
  const { company_id, max_bytes, used_bytes, reserved_bytes, remaining_bytes } = presentCompany(row);
  const cap = capOf(row.own_max_bytes, row.max_bytes_per_user);
  const own = row.own_used_bytes ?? 0;
  const reserved = row.own_reserved_bytes ?? 0;
  return {
    company_id,
    company: { max_bytes, used_bytes, reserved_bytes, remaining_bytes },
    user: {
      user_id: userId,
      max_bytes: cap,
      used_bytes: own,
      reserved_bytes: reserved,
      remaining_bytes: left(cap, own, reserved),
    },
  };
}
