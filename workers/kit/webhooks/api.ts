import type { ErrorTable } from "../../../schemas/errors";
import type { Bound } from "../db/statement";
import type { Authorize, CallNeeds, createCalls } from "../http/call";
import type { Limiter } from "../limits/limiter";
import type { Rate } from "../settings/setting-types";
import type { WebhooksContext } from "./context";
import type { EventLog } from "./event-store/event-log.store";
import type { EventCatalog } from "./events/catalog";
import type { EnvelopeCompany } from "./events/envelope";

/** What the API works with; a service's own services hold more. */
export type WebhooksServices = {
  webhooks: WebhooksContext;
  limiter: Limiter;
  settings: { rates: { mutation: Rate | null } };
};

/** Who calls, with live roles. */
export type WebhookCaller = { userId: number; isStaff: boolean };

/** What an administrator did to a rule; `data` names no secret, and lacks the id of a rule that is just made. */
export type AuditedRuleChange = {
  verb: "created" | "updated" | "secret_rotated" | "deleted";
  companyId: number;
  data: Record<string, unknown>;
};

/** What an administrator did with a rule, a delivery or an event besides changing a rule; `data` names no secret. */
export type AuditedUse = {
  /** a test changes no row: its entry stands alone */
  verb: "rule.tested" | "rule.requeued" | "delivery.requeued" | "event.replayed";
  companyId: number;
  data: Record<string, unknown>;
};

/** The company that a call is about. */
export type WebhookScope = {
  company: EnvelopeCompany;
  /** days that the company's events are kept */
  retentionDays: number;
  /** the audit entry of a change, for a place right behind its statement, which it follows; missing: none is kept */
  auditEntry?: (change: AuditedRuleChange) => Promise<Bound>;
  /** the same of a use */
  auditUse?: (use: AuditedUse) => Promise<Bound>;
};

/** Every call is one of staff or of an owner of its company. */
export type WebhookScopes = { owner: WebhookScope };

/** What `mountWebhooks` is given once by each service. */
export type WebhooksApi<S extends WebhooksServices> = {
  catalog: EventCatalog;
  errors: ErrorTable;
  authorize: Authorize<S, WebhookScopes, WebhookCaller>;
  /** codes by which `authorize` refuses */
  refusalsOf: (needs: CallNeeds<"owner">) => readonly string[];
  /** how a company stands in an envelope, where the scope of the call has its id alone or is another company */
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany>;
  eventLog: EventLog;
  /** where the event log stands, besides `/api/v1/actions/event-log` */
  eventLogPaths?: string[];
};

/** The bindings and variables of a service that mounts the API. */
export type WebhookEnv<S> = { Bindings: object; Variables: { services: S } };

/** How the API's own routes are declared. */
export type WebhookCall<S extends WebhooksServices, E extends WebhookEnv<S>> = ReturnType<
  typeof createCalls<S, WebhookScopes, WebhookCaller, E>
>;
