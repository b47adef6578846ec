import { SECOND_MS } from "../../kit/time";
import type { HostingServices } from "../services";
import { renewImport } from "./import.store";

const RENEW_MS = 30 * SECOND_MS;

/** Another consumer holds the import, or its deployment was deleted. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

type LeaseKey = { id: string; companyId: number; token: string };

/** The lease of a step. `keep` renews it when 30 s have passed; it throws a LeaseLostError. */
export type ImportLease = { key: LeaseKey; keep: () => Promise<void> };

/** Opens the lease that a step has just claimed. */
export function openLease({ clock, dbOf }: HostingServices, key: LeaseKey): ImportLease {
  let renewedAt = clock.now();
  return {
    key,
    keep: async () => {
      const now = clock.now();
      if (now < renewedAt + RENEW_MS) return;
      const { changes } = await dbOf(key.companyId).run(renewImport({ ...key, now }));
      if (changes === 0) throw new LeaseLostError();
      renewedAt = now;
    },
  };
}
