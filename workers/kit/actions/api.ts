import type { Context } from "hono";
import type { ErrorTable } from "../../../schemas/errors";
import type { LateBody } from "../http/body";
import type { Service } from "../http/service";
import type { Limiter } from "../limits/limiter";
import type { Log } from "../log";
import type { Rate } from "../settings";
import type { EventCatalog } from "./catalog";
import type { ActionsContext } from "./context";
import type { EnvelopeCompany } from "./envelope";
import type { EventLog } from "./store/event-log-reads";

/** What the API asks of a service besides its `ActionsContext`. */
export type ActionsServices = { limiter: Limiter; settings: { rates: { mutation: Rate | null } } };

/** Who calls, with live roles (details of Document 3, section 2). */
export type ActionsCaller = { userId: number; isStaff: boolean };

/** An admitted call: staff, or an owner of the company; `results` are those of its own first reads. */
export type Admission<T extends unknown[] = []> = {
  caller: ActionsCaller;
  companyId: number;
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
  context: (services: S) => ActionsContext;
  admit: Admit<S>;
  /** how a company stands in an envelope; null when there is none */
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany | null>;
  /** days that events of the company are kept */
  retentionDays: (services: S, companyId: number) => Promise<number>;
  eventLog: EventLog;
  /** where the event log stands, besides `/api/v1/actions/event-log` */
  eventLogPaths?: string[];
};

type ActionsEnv<S> = { Bindings: object; Variables: { services: S; log: Log; requestId: string } };

/** What the routes are mounted on. */
export type ActionsApp<S> = Service<ActionsEnv<S>>;

export type ActionsHandlerContext<S> = Context<ActionsEnv<S>>;
