import type { AuditActor } from "../../../db/kit/audit";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { uuid } from "../../kit/ids";
import { errorName } from "../../kit/log";
import { Problem as AnyProblem } from "../../kit/problem";
import { HOUR_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { actorText } from "../../kit/webhooks/events/envelope";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { addBucketEvent, addCompany, addCompanyBucket, renameCompany } from "./company.store";

export { addBucketEvent, findCompany } from "./company.store";

/** Who makes a change, for its events and its audit entry: a user, or the operator, who has neither id nor address. */
export type Actor = AuditActor & { email: string | null };

/** An actor that is a user. */
export type Person = Actor & { userId: number; email: string };

/** What the rows of events say of an actor. */
export const eventActor = (actor: Actor) => ({
  userId: actor.userId,
  email: actor.email,
  actor: actorText(actor),
});

const IDENTITY_TIMEOUT_MS = 5000;

/**
 * The first use of a company: its quota and its bucket `company`, with their event; parallel calls make one of each. 404
 * `not_found` for a company that identity does not know, 503 when identity does not answer.
 */
export async function openCompany(services: StorageServices, companyId: number, person: Actor): Promise<void> {
  const { slug, name } = await nameCompany(services, companyId);
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
        ...eventActor(person),
      }),
    },
    [{ id: eventId, company_id: companyId }],
  );
}

/** What identity calls a company. 404 `not_found` for one that it does not know, 503 when it does not answer. */
export async function nameCompany(services: StorageServices, companyId: number) {
  const company = await askName(services, companyId);
  if (company === null) throw new Problem("not_found", { message: "There is no such company." });
  return company;
}

/** What identity calls a company; null for one that it does not know, and when it does not answer. */
export const findCompanyName = (services: StorageServices, companyId: number) =>
  askName(services, companyId).catch((error) => {
    if (error instanceof AnyProblem) return null;
    throw error;
  });

/** Brings the names of a company (null: not opened yet) up to date when they are an hour old; the call does not wait for it. */
export function refreshCompany(services: StorageServices, row: { company_id: number; named_at: number } | null): void {
  if (row === null) return;
  const { clock, dbOf, log } = services;
  const { company_id: companyId, named_at: namedAt } = row;
  const now = clock.now();
  if (now - namedAt < HOUR_MS) return;
  const work = async () => {
    const found = await askName(services, companyId);
    if (found !== null)
      await dbOf(companyId).run(renameCompany({ companyId, slug: found.slug, name: found.name, now }));
  };
  services.waitUntil(work().catch((error) => log.warn("company not refreshed", { cause: errorName(error) })));
}

async function askName({ identity, log }: StorageServices, companyId: number) {
  try {
    return await withTimeout(identity.rpc.company({ company_id: companyId }), IDENTITY_TIMEOUT_MS);
  } catch (cause) {
    log.warn("identity does not name the company", { cause: errorName(cause) });
    throw new Problem("service_unavailable", { cause });
  }
}
