import * as z from "zod";
import type { Lane } from "../../../schemas/email/lanes";
import { errorName } from "../../kit/log";
import type { Doorbell } from "../bindings";
import type { EmailServices } from "../services";

/** Ids in one queue message. */
const IDS_PER_DOORBELL = 50;
const doorbellSchema = z.object({
  v: z.literal(1),
  kind: z.enum(["send", "erase"]),
  ids: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(IDS_PER_DOORBELL),
  request_id: z.string(),
});

/** Messages in one call of a queue. */
const DOORBELLS_PER_CALL = 100;

/**
 * Rings for waiting messages, after `delaySeconds`. A queue that does not answer is logged and no error: the sweep rings
 * again.
 */
export async function ringDoorbell(
  services: Pick<EmailServices, "queues" | "log" | "requestId">,
  lane: Lane,
  ids: readonly string[],
  { delaySeconds = 0 }: { delaySeconds?: number } = {},
): Promise<void> {
  const doorbells = chunk(ids, IDS_PER_DOORBELL).map(
    (part): MessageSendRequest<Doorbell> => ({
      body: { v: 1, kind: "send", ids: part, request_id: services.requestId },
      ...(delaySeconds > 0 ? { delaySeconds } : {}),
    }),
  );
  try {
    for (const part of chunk(doorbells, DOORBELLS_PER_CALL)) await services.queues[lane].sendBatch(part);
  } catch (error) {
    services.log.warn("doorbell not rung", { lane, ids: ids.length, error: errorName(error) });
  }
}

/** Rings for the next step of erasures, beside the bulk mail; a lost ring is rung again by the sweep. */
export async function ringErasures(
  { queues, log, requestId }: Pick<EmailServices, "queues" | "log" | "requestId">,
  ids: readonly string[],
): Promise<void> {
  const doorbells = chunk(ids, IDS_PER_DOORBELL).map(
    (part): MessageSendRequest<Doorbell> => ({ body: { v: 1, kind: "erase", ids: part, request_id: requestId } }),
  );
  try {
    await queues.bulk.sendBatch(doorbells);
  } catch (error) {
    log.warn("doorbell not rung", { erasures: ids.length, error: errorName(error) });
  }
}

/** The doorbell of a queue message; null for anything else. */
export function parseDoorbell(body: unknown): Doorbell | null {
  return doorbellSchema.safeParse(body).data ?? null;
}

/** The list in parts of at most `size`. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
