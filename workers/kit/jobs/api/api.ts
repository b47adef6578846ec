import type * as z from "zod";
import type { runDeliveriesSchema } from "../../../../schemas/jobs";
import type { BatchResults } from "../../db/db";
import type { createCalls, Reads } from "../../http/call";

/** Every call of the jobs API requires staff, because jobs belong to no company. */
export type JobScopes = { staff: unknown };

/** The bindings and variables of a service that mounts the jobs API. */
export type JobsEnv<S> = { Bindings: object; Variables: { services: S } };

/** The function that declares a route of the jobs API. */
export type JobCall<S, E extends JobsEnv<S>, Caller> = ReturnType<typeof createCalls<S, JobScopes, Caller, E>>;

/** Reads and presents the webhook deliveries of a run, and its posts of events to the email service. */
export type DeliveriesOfRun<R extends Reads> = {
  reads: (runId: number | null) => R;
  present: (results: BatchResults<R>) => z.input<typeof runDeliveriesSchema>;
};
