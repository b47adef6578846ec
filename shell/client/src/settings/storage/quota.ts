import { fieldsOf } from "../../session/adapters/call.ts";

/** How full something is; `max` null has no limit. Bytes. */
export type Quota = { used: number; max: number | null; free: number | null };

export type Fullness = "fine" | "nearly" | "full";

/** What `GET /storage/v1/quota` says of the company and of the person; null for what it does not say. */
export function readQuotas(answer: unknown): { company: Quota | null; user: Quota | null } {
  const { company, user } = fieldsOf(answer);
  return { company: readQuota(company), user: readQuota(user) };
}

function readQuota(value: unknown): Quota | null {
  const { used_bytes: used, max_bytes: max, remaining_bytes: free } = fieldsOf(value);
  if (typeof used !== "number") return null;
  const limit = typeof max === "number" ? max : null;
  const computedFree = limit === null ? null : Math.max(0, limit - used);
  return { used, max: limit, free: typeof free === "number" && limit !== null ? free : computedFree };
}

/** From 90 % it is said, at 100 % writes are refused. */
export function fullnessOf({ used, max }: Quota): Fullness {
  if (max === null) return "fine";
  return used >= max ? "full" : used >= max * 0.9 ? "nearly" : "fine";
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];

/** Bytes as people know them: 1.5 GB. A kilobyte has 1024, as `K` of `set_quota --max-bytes` has. */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let step = 0;
  // What would be written as 1,024 of one unit is one of the next.
  while (value >= 1023.95 && step < units.length - 1) {
    value /= 1024;
    step += 1;
  }
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(value);
}
