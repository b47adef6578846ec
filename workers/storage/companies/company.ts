import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { uuid } from "../../kit/ids";
import { errorName } from "../../kit/log";
import { Problem as AnyProblem } from "../../kit/problem";
import { HOUR_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor } from "../../kit/webhooks/events/event-actor";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { addBucketEvent, addCompany, addCompanyBucket, updateCompanyNames } from "./company.store";

export { addBucketEvent, findCompany } from "./company.store";

const IDENTITY_TIMEOUT_MS = 5000;

/**
 * Creates a company's quota row, its bucket `company` and the event of the bucket on first use. Parallel calls create only
 * one of each. Throws 404 `not_found` for a company that identity does not know, and 503 when identity does not respond.
 */
export async function openCompany(services: StorageServices, companyId: number, actor: Actor): Promise<void> {
  const { slug, name } = await requireCompany(services, companyId);
  const { clock, settings, webhooks } = services;
  const { companyBytes, userBytes } = settings.quotas;
  const [now, bucketId, eventId] = [clock.now(), uuid(), uuid()];
  const data = storableData({ bucket_id: bucketId, bucket_name: COMPANY_BUCKET, bucket_kind: "company" });
  await batchWithEvents(
    webhooks,
    services.dbOf(companyId),
    {
      quota: addCompany({ companyId, slug, name, now, maxBytes: companyBytes, maxBytesPerUser: userBytes || null }),
      bucket: addCompanyBucket({ id: bucketId, companyId, name: COMPANY_BUCKET, now }),
      event: addBucketEvent({
        id: eventId,
        companyId,
        data,
        bucketId,
        now,
        ...eventActor(actor),
      }),
    },
    [{ id: eventId, company_id: companyId }],
  );
}

/**
 * Returns the slug and name of a company from identity. Throws 404 `not_found` if identity does not know the company, and 503
 * if identity does not respond.
 */
export async function requireCompany(services: StorageServices, companyId: number) {
  const company = await fetchCompany(services, companyId);
  if (company === null) throw new Problem("not_found", { message: "There is no such company." });
  return company;
}

/** Like requireCompany, but returns null if identity does not know the company or does not respond. */
export const tryFetchCompany = (services: StorageServices, companyId: number) =>
  fetchCompany(services, companyId).catch((error) => {
    if (error instanceof AnyProblem) return null;
    throw error;
  });

/** Refreshes the stored names of a company in the background if they are at least an hour old. Does nothing without a row. */
export function refreshCompany(services: StorageServices, row: { company_id: number; named_at: number } | null): void {
  if (row === null) return;
  const { clock, dbOf, log } = services;
  const { company_id: companyId, named_at: refreshedAt } = row;
  const now = clock.now();
  if (now - refreshedAt < HOUR_MS) return;
  const work = async () => {
    const company = await fetchCompany(services, companyId);
    if (company !== null)
      await dbOf(companyId).run(updateCompanyNames({ companyId, slug: company.slug, name: company.name, now }));
  };
  services.waitUntil(work().catch((error) => log.warn("company not refreshed", { cause: errorName(error) })));
}

async function fetchCompany({ identity, log }: StorageServices, companyId: number) {
  try {
    return await withTimeout(identity.rpc.company({ company_id: companyId }), IDENTITY_TIMEOUT_MS);
  } catch (cause) {
    log.warn("company lookup at identity failed", { cause: errorName(cause) });
    throw new Problem("service_unavailable", { cause });
  }
}
