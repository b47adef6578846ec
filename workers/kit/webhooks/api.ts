import type { ErrorTable } from "../../../schemas/errors";
import type { Bound } from "../db/statement";
import type { Authorize, CallNeeds, createCalls } from "../http/call";
import type { Limiter } from "../limits/limiter";
import type { Rate } from "../settings/setting-types";
import type { WebhooksContext } from "./context";
import type { EventLog } from "./event-store/event-log.store";
import type { EventCatalog } from "./events/catalog";
import type { EnvelopeCompany } from "./events/envelope";

/** The dependencies of the webhooks API; the services of a Worker contain more. */
export type WebhooksServices = {
  webhooks: WebhooksContext;
  limiter: Limiter;
  settings: { rates: { mutation: Rate | null } };
};

/** The caller with the current roles. */
export type WebhookCaller = { userId: number; isStaff: boolean };

/**
 * An administrator's change to a subscription, for the audit log. `data` contains no secret, and no id when the
 * subscription is new.
 */
export type AuditedRuleChange = {
  verb: "created" | "updated" | "secret_rotated" | "deleted";
  companyId: number;
  data: Record<string, unknown>;
};

/** Another action of an administrator on a subscription, delivery or event; `data` contains no secret. */
export type AuditedAction = {
  /** `rule.tested` changes no row, so its entry does not depend on a preceding change */
  verb: "rule.tested" | "rule.requeued" | "delivery.requeued" | "event.replayed";
  companyId: number;
  data: Record<string, unknown>;
};

/** The scope of a call: its company, and the functions that write audit entries. */
export type WebhookScope = {
  company: EnvelopeCompany;
  /** number of days for which the company's events are stored */
  retentionDays: number;
  /**
   * returns the audit entry of a change, which must directly follow the change in the batch; undefined when the service
   * has no audit log
   */
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
  /** the error codes that `authorize` may throw */
  impliedErrorCodes: (needs: CallNeeds<"owner">) => readonly string[];
  /**
   * returns a company as it appears in envelopes; called when the scope contains another company, or only the id of the
   * company
   */
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany>;
  eventLog: EventLog;
  /** further paths of the event log, in addition to `/api/v1/actions/event-log` */
  eventLogPaths?: string[];
};

/** The bindings and variables of a service that mounts the webhooks API. */
export type WebhookEnv<S> = { Bindings: object; Variables: { services: S } };

/** The function that declares a route of the webhooks API. */
export type WebhookCall<S extends WebhooksServices, E extends WebhookEnv<S>> = ReturnType<
  typeof createCalls<S, WebhookScopes, WebhookCaller, E>
>;
