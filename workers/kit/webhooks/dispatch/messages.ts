import * as z from "zod";
import { type IdMessage, idMessageReader, messageReader } from "../../outbox/queue-message";

/** Maximum number of ids in one queue message. */
export const MAX_IDS = 100;

/** A message of the queue `webhooks-{service}`: the ids of deliveries that wait for their first attempt. */
export type FirstMessage = IdMessage<"first">;

/** Reads a message of `webhooks-{service}`; returns null for any other value. */
export const readFirstMessage = idMessageReader(["first"], /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, MAX_IDS);

/** Reads a helper message of `{service}-service`; returns null for any other value. */
export const readDrainMessage = messageReader(["drain"], () => ({
  run_id: z.int(),
  fence: z.int().nullable(),
  run_start: z.int(),
  deadline: z.int(),
}));

/** A request to a consumer of `{service}-service` to help a retry run; times are unix ms. */
export type DrainMessage = NonNullable<ReturnType<typeof readDrainMessage>>;
