import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../schemas/errors";
import type { LateBody } from "../http/request/body";
import type { Limiter } from "../limits/limiter";
import type { Rate } from "../setting-types";
import type { ActionsContext } from "./context";
import type { EventCatalog } from "./event-log/catalog";
import type { EnvelopeCompany } from "./event-log/envelope";
import type { EventLog } from "./event-log/event-log.store";

/** What the API works with; a service's own services hold more. */
export type ActionsServices = {
  actions: ActionsContext;
  limiter: Limiter;
  settings: { rates: { mutation: Rate | null } };
};

/** Who calls, with live roles (details of Document 3, section 2). */
export type ActionsCaller = { userId: number; isStaff: boolean };

/** What an administrator did to a rule; `data` names no secret, and lacks the id of a rule that is just made. */
export type RuleChangeNote = {
  verb: "created" | "updated" | "secret_rotated" | "deleted";
  companyId: number;
  data: Record<string, unknown>;
};

/** An admitted call of staff or an owner of the company; `results` are those of its own first reads. */
export type Admission<T extends unknown[] = []> = {
  caller: ActionsCaller;
  company: EnvelopeCompany;
  /** days that the company's events are kept */
  retentionDays: number;
  /** the audit entry of a change, for a place right behind its statement, which it follows; missing: none is kept */
  note?: (change: RuleChangeNote) => Promise<D1PreparedStatement>;
  results: { [K in keyof T]: D1Result<T[K]> };
};

/** How a service admits a call: 401, 403 `pat_read_only`, the company (query, body, token), 403 for everybody but its owners. */
export type Admit<S> = <T extends unknown[] = []>(
  services: S,
  request: Request,
  options?: { body?: LateBody; reads?: (companyId: number) => D1PreparedStatement[] },
) => Promise<Admission<T>>;

/** What `mountActions` is given once by each service. */
export type ActionsApi<S extends ActionsServices> = {
  catalog: EventCatalog;
  errors: ErrorTable;
  /** codes by which `admit` refuses, besides those of section 2 */
  refusals: string[];
  admit: Admit<S>;
  /** how another company than that of the call stands in an envelope */
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany>;
  eventLog: EventLog;
  /** where the event log stands, besides `/api/v1/actions/event-log` */
  eventLogPaths?: string[];
};

/** What a handler uses of its context; a service's own context is one of these. */
export type ActionsHandlerContext<S> = {
  get(name: "services"): S;
  req: {
    raw: Request;
    method: string;
    query(name: string): string | undefined;
    query(): Record<string, string>;
    param(name: string): string | undefined;
  };
  json(value: object, status?: 200 | 201): Response;
  body(data: null, status: 204): Response;
};

/** What the routes are mounted on. */
export type ActionsApp<S> = {
  route(config: RouteConfig, handler: (c: ActionsHandlerContext<S>) => Response | Promise<Response>): void;
};
