import { eq } from "drizzle-orm";
import {
  company_quotas,
  quota_reservations,
  storage_blobs,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { clock } from "../../../workers/kit/clock";
import { MINUTE_MS } from "../../../workers/kit/time";
import { readRows } from "../webhooks/rows";
import { expectStoredAgrees } from "./agreement-rules";
import type { startFiles } from "./files";

type Files = Pick<Awaited<ReturnType<typeof startFiles>>, "storage" | "companyId">;

// Each cron time must be later than the previous one.
let lastTick = 0;

/** Advances the clock from `from` and runs the sweep twice: the first run removes expired reservations, the second their blobs. */
export async function sweepAll({ storage }: Files, from = clock.now()): Promise<void> {
  const realNow = clock.now;
  try {
    for (const _step of ["reservations", "blobs"]) {
      const at = Math.max(lastTick, from) + 16 * MINUTE_MS;
      lastTick = at;
      clock.now = () => at;
      await storage.runCron("* * * * *", at);
    }
  } finally {
    clock.now = realNow;
  }
}

/**
 * Expects rows, R2 and counters of a company to agree: each object has its blob, each blob has a row, and nothing is
 * counted twice.
 */
export async function expectAgreement({ storage, companyId }: Files): Promise<void> {
  const objects = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const blobs = await readRows(storage_blobs, eq(storage_blobs.company_id, companyId));
  const keys: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await storage.bindings.OBJECTS.list({ prefix: `${companyId}/`, ...(cursor ? { cursor } : {}) });
    keys.push(...page.objects.map(({ key }) => key));
    if (!page.truncated) break;
    cursor = page.cursor;
  }
  const [company] = await readRows(company_quotas, eq(company_quotas.company_id, companyId));
  const reservations = await readRows(quota_reservations, eq(quota_reservations.company_id, companyId));
  const users = await readRows(user_quotas, eq(user_quotas.company_id, companyId));
  expectStoredAgrees({ objects, blobs, keys, reservations, company, users });
}
