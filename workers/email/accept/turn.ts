import { Problem } from "../../kit/problem";
import type { EmailServices } from "../services";
import { checkFingerprint } from "./idempotency";
import { requestOf, type SendRequestRow } from "./idempotency.store";
import type { Busy } from "./limits";
import type { SubmitContext } from "./submission";

/** Waits between looks for the winner, in ms; together longer than a turn may last. */
const WAITS = [25, 50, 100, 200, 400, 800, 1600, 2500];

/** The name of a turn in the counters of the company: a hash of service and idempotency key; null without a key. */
export function turnOf(context: SubmitContext): string | null {
  return context.idempotency?.turn ?? null;
}

/**
 * Reserves when no other call with the same idempotency key is between its reservation and its accept batch; else waits
 * for that call and answers its stored request, 409 `idempotency_conflict` for another body, or takes the turn when the
 * other gave up (email details 3.4, rule 4). 503 when neither happens in time.
 */
export async function takeTurn<T extends object>(
  services: EmailServices,
  context: SubmitContext,
  reserve: () => Promise<T | Busy>,
): Promise<{ taken: T } | { winner: SendRequestRow }> {
  const first = await reserve();
  if (first !== "busy") return { taken: first };
  for (const wait of WAITS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const winner = await findWinner(services, context);
    if (winner !== null) return { winner };
    const again = await reserve();
    if (again !== "busy") return { taken: again };
  }
  throw new Problem("service_unavailable", { headers: { "retry-after": "1" } });
}

async function findWinner(services: EmailServices, context: SubmitContext): Promise<SendRequestRow | null> {
  const { client, companyId, idempotency, fingerprints } = context;
  if (idempotency === null) return null;
  const { db } = services;
  const row = await db.first<SendRequestRow>(requestOf.bind(db, client.service, companyId, idempotency.key));
  if (row === null || row.created_at <= idempotency.windowStart) return null;
  checkFingerprint(row.fingerprint, fingerprints);
  return row;
}
