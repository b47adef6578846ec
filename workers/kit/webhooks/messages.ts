import * as z from "zod";

/** Ids in one doorbell. */
export const MAX_IDS = 100;

const deliveryId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const firstMessage = z.object({
  v: z.literal(1),
  kind: z.literal("first"),
  ids: z.array(deliveryId).max(MAX_IDS),
  request_id: z.string(),
});

const drainMessage = z.object({
  v: z.literal(1),
  kind: z.literal("drain"),
  run_id: z.int(),
  fence: z.int().nullable(),
  run_start: z.int(),
  deadline: z.int(),
});

/** A doorbell of `webhooks-{service}`: ids of deliveries that wait for their first attempt. */
export type FirstMessage = z.output<typeof firstMessage>;

/** Asks a consumer of `{service}-service` to help a retry run; times are unix ms. */
export type DrainMessage = z.output<typeof drainMessage>;

/** Whether a message of `webhooks-{service}` is a doorbell. */
export function isFirstMessage(body: unknown): body is FirstMessage {
  return firstMessage.safeParse(body).success;
}

/** Whether a message of `{service}-service` asks for help with a retry run. */
export function isDrainMessage(body: unknown): body is DrainMessage {
  return drainMessage.safeParse(body).success;
}
