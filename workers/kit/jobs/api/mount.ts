import type { ErrorTable } from "../../../../schemas/errors";
import { authorizeStaff, staffErrorCodes } from "../../auth/staff";
import { type Authorize, type CallNeeds, createCalls, type Reads } from "../../http/call";
import type { Service } from "../../http/service";
import { deliveriesOfRun } from "../../webhooks/deliveries/delivery-of-run";
import type { JobServices, JobSet } from "../job";
import type { DeliveriesOfRun, JobScopes, JobsEnv } from "./api";
import { mountJobRuns } from "./job.routes";

/**
 * Mounts the staff API of scheduled jobs. `authorize` checks that the caller is staff and runs the call's read statements; it
 * throws the service's own errors, such as 401 or 403. `deliveries` reads the webhook deliveries, and the posts of events to
 * the email service, that a run attempted.
 */
export function mountScheduledJobs<S extends JobServices, E extends JobsEnv<S>, Caller, R extends Reads>(
  service: Service<E>,
  set: JobSet<S>,
  options: {
    errors: ErrorTable;
    authorize: Authorize<S, JobScopes, Caller>;
    impliedErrorCodes: (needs: CallNeeds<"staff">) => readonly string[];
    deliveries: DeliveriesOfRun<R>;
  },
): void {
  const { errors, authorize, impliedErrorCodes, deliveries } = options;
  const call = createCalls<S, JobScopes, Caller, E>(service, { errors, authorize, impliedErrorCodes });
  mountJobRuns(call, set, deliveries);
}

/** Mounts the staff API in a service other than identity. Such a service recognizes staff by their access tokens. */
export function mountStaffJobs<S extends JobServices & Parameters<typeof authorizeStaff>[0], E extends JobsEnv<S>>(
  service: Service<E>,
  set: JobSet<S>,
  errors: ErrorTable,
): void {
  mountScheduledJobs(service, set, {
    errors,
    authorize: authorizeStaff,
    impliedErrorCodes: staffErrorCodes,
    deliveries: deliveriesOfRun,
  });
}
