import * as z from "zod";
import { type Doorbell, doorbellReader, messageReader } from "../../outbox/doorbell";

/** Ids in one doorbell. */
export const MAX_IDS = 100;

/** A doorbell of `webhooks-{service}`: ids of deliveries that wait for their first attempt. */
export type FirstMessage = Doorbell<"first">;

/** The doorbell in a message of `webhooks-{service}`, or null. */
export const readFirstMessage = doorbellReader(["first"], /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, MAX_IDS);

/** The call for help in a message of `{service}-service`, or null. */
export const readDrainMessage = messageReader(["drain"], () => ({
  run_id: z.int(),
  fence: z.int().nullable(),
  run_start: z.int(),
  deadline: z.int(),
}));

/** Asks a consumer of `{service}-service` to help a retry run; times are unix ms. */
export type DrainMessage = NonNullable<ReturnType<typeof readDrainMessage>>;
