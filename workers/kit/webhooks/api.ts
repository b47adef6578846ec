import type { ErrorTable } from "../../../schemas/errors";
import type { Bound } from "../db/statement";
import type { Authorize, CallNeeds, createCalls } from "../http/call";
import type { Limiter } from "../limits/limiter";
import type { Rate } from "../settings/setting-types";
import type { WebhooksContext } from "./context";
import type { EventLog } from "./event-store/event-log.store";
import type { EventCatalog } from "./events/catalog";
import type { EnvelopeCompany } from "./events/envelope";

/** The dependencies of the API; a service's own services hold more. */
export type WebhooksServices = {
  webhooks: WebhooksContext;
  limiter: Limiter;
  settings: { rates: { mutation: Rate | null } };
};

/** The caller, with current roles. */
export type WebhookCaller = { userId: number; isStaff: boolean };

/**
 * An administrator's change to a subscription, for the audit log; `data` contains no secret, and no id for a new
 * subscription.
 */
export type AuditedRuleChange = {
  verb: "created" | "updated" | "secret_rotated" | "deleted";
  companyId: number;
  data: Record<string, unknown>;
};

/** An administrator's other action on a subscription, delivery or event; `data` contains no secret. */
export type AuditedAction = {
  /** a test changes no row, so its entry does not follow a change */
  verb: "rule.tested" | "rule.requeued" | "delivery.requeued" | "event.replayed";
  companyId: number;
  data: Record<string, unknown>;
};

/** The company that a call is about. */
export type WebhookScope = {
  company: EnvelopeCompany;
  /** number of days that the company's events are kept */
  retentionDays: number;
  /** returns the audit entry of a change, to directly follow it in the batch; missing: none is kept */
  auditEntry?: (change: AuditedRuleChange) => Promise<Bound>;
  /** returns the audit entry of another action */
  auditAction?: (action: AuditedAction) => Promise<Bound>;
};

/** Every call requires staff or an owner of the company. */
export type WebhookScopes = { owner: WebhookScope };

/** The arguments of `mountWebhooks`, once per service. */
export type WebhooksApi<S extends WebhooksServices> = {
  catalog: EventCatalog;
  errors: ErrorTable;
  authorize: Authorize<S, WebhookScopes, WebhookCaller>;
  /** codes that `authorize` rejects with */
  impliedErrorCodes: (needs: CallNeeds<"owner">) => readonly string[];
  /** returns a company in the form of envelopes, when the scope has only its id or another company */
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany>;
  eventLog: EventLog;
  /** further paths of the event log, in addition to `/api/v1/actions/event-log` */
  eventLogPaths?: string[];
};

/** The bindings and variables of a service that mounts the API. */
export type WebhookEnv<S> = { Bindings: object; Variables: { services: S } };

/** Declares a route of the API. */
export type WebhookCall<S extends WebhooksServices, E extends WebhookEnv<S>> = ReturnType<
  typeof createCalls<S, WebhookScopes, WebhookCaller, E>
>;
