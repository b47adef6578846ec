import { fieldsOf } from "../../session/adapters/call.ts";

/** Usage of a quota in bytes. `max` is null if there is no limit. */
export type Quota = { used: number; max: number | null; free: number | null };

export type QuotaLevel = "fine" | "nearly" | "full";

/** Reads the response of `GET /storage/v1/quota`. A missing quota is null. */
export function readQuotas(response: unknown): { company: Quota | null; user: Quota | null } {
  const { company, user } = fieldsOf(response);
  return { company: readQuota(company), user: readQuota(user) };
}

function readQuota(value: unknown): Quota | null {
  const { used_bytes: used, max_bytes: max, remaining_bytes: free } = fieldsOf(value);
  if (typeof used !== "number") return null;
  const limit = typeof max === "number" ? max : null;
  const computedFree = limit === null ? null : Math.max(0, limit - used);
  return { used, max: limit, free: typeof free === "number" && limit !== null ? free : computedFree };
}

/** Returns `nearly` from 90 % and `full` from 100 %. The service rejects writes to a full quota. */
export function quotaLevel({ used, max }: Quota): QuotaLevel {
  if (max === null) return "fine";
  return used >= max ? "full" : used >= max * 0.9 ? "nearly" : "fine";
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];

/** Formats bytes, as in 1.5 GB. A kilobyte has 1,024 bytes, like `K` in `set_quota --max-bytes`. */
export function formatBytes(bytes: number, language: string): string {
  let value = bytes;
  let step = 0;
  // A value that would round to 1,024 is shown in the next unit.
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
