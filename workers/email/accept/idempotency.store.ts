import { and, eq, gt, isNotNull, lte, type SQL } from "drizzle-orm";
import { send_requests, service_clients } from "../../../db/email/schema";
import { integer } from "../../kit/db/kind";
import { all, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { service, company_id, idempotency_key, created_at } = send_requests;

/**
 * The stored request of the service that a key belongs to, inside the idempotency window (unix ms). The key, as SHA-256,
 * is looked up here again, so that replay and credential are one round trip.
 */
export const findReplay = statement(
  { keyHash: service_clients.key_hash, companyId: company_id, key: idempotency_key, windowStart: integer },
  (p) => {
    const { key_hash, previous_key_hash } = service_clients;
    const services = () => q.select({ service: service_clients.service }).from(service_clients);
    const ofKey = services()
      .where(eq(key_hash, p.keyHash))
      .unionAll(services().where(and(isNotNull(previous_key_hash), eq(previous_key_hash, p.keyHash))))
      .limit(1);
    return q
      .select(all(send_requests))
      .from(send_requests)
      .where(
        and(eq(service, ofKey), eq(company_id, p.companyId), eq(idempotency_key, p.key), gt(created_at, p.windowStart)),
      );
  },
);

const request = { service, companyId: company_id, key: idempotency_key };

const isRequest = (p: { service: SQL; companyId: SQL; key: SQL }) =>
  and(eq(service, p.service), eq(company_id, p.companyId), eq(idempotency_key, p.key));

/** The request that is stored under an idempotency key: the winner of a race. */
export const findRequest = statement(request, (p) =>
  q.select(all(send_requests)).from(send_requests).where(isRequest(p)),
);

/** Makes room for a request whose predecessor is older than the window (unix ms). */
export const dropOldRequest = statement({ ...request, windowStart: integer }, (p) =>
  q.delete(send_requests).where(and(isRequest(p), lte(created_at, p.windowStart))),
);

/** Stores a request; the unique index refuses the second one of a race. */
export const insertRequest = statement(all(send_requests), (p) => q.insert(send_requests).values(p));
