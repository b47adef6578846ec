import type { RuleNotice } from "../../../schemas/rpc";
import type { Clock } from "../clock";
import type { KeyRing } from "../crypto/seal";
import type { Databases } from "../db/db";
import type { Log } from "../log";
import type { DrainMessage, FirstMessage } from "./dispatch/messages";
import type { EventStatements } from "./event-store/event-statements.store";
import type { WebhookSettings } from "./settings";

/** The URL and secret of a service client's callback. */
export type CallbackTarget = { url: string; secret: string };

/** How a service that seals personal data in its events seals and opens them. */
export type EventSeal = {
  /** Seals the data and envelope of a new event that is about no user. */
  seal: (event: {
    id: string;
    type: string;
    companyId: number;
    data: Record<string, unknown>;
    now: number;
  }) => Promise<{ data: string; envelope: string }>;
  /** Opens a column of an event row, or, as `envelope`, the body of its deliveries. Throws a SealError. */
  open: (column: "data" | "envelope", sealed: string, event: { companyId: number; eventId: string }) => Promise<string>;
  /** masks the data for lists */
  mask: (data: Record<string, unknown>) => Record<string, unknown>;
};

/** The dependencies of webhooks; built once per request, cron or queue batch. */
export type WebhooksContext = Databases & {
  /** `identity`, `email`, …: part of queue names, sealed values and the user agent */
  service: string;
  outbox: EventStatements;
  clock: Clock;
  log: Log;
  requestId: string;
  settings: WebhookSettings;
  keys: () => Promise<KeyRing>;
  /** for outbound requests to subscriptions' URLs and the resolver */
  fetch: typeof fetch;
  /** null: not bound (only with DEBUG) */
  queues: {
    first: Pick<Queue<FirstMessage>, "sendBatch"> | null;
    service: Pick<Queue<DrainMessage>, "sendBatch"> | null;
  };
  /** binding of the email service; null: events are posted to EMAIL_SERVICE_URL */
  email: Pick<Fetcher, "fetch"> | null;
  /**
   * returns the targets of callbacks by service client id; null when the secret does not open, missing when the client
   * has no callback any more
   */
  callbacks?: (clientIds: number[]) => Promise<Map<number, CallbackTarget | null>>;
  /** missing: data, envelopes and bodies are stored in plain */
  seal?: EventSeal;
  /** type of the event about a subscription that has begun to fail */
  failingType: string;
  /** Has identity email the owners of subscriptions; repeating it for the same `told_at` sends no second email. */
  notifyOwners: (notices: readonly RuleNotice[]) => Promise<void>;
  waitUntil: (work: Promise<unknown>) => void;
};
