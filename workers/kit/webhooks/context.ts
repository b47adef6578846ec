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

/** Seals, opens and masks the personal data in a service's events. */
export type EventSeal = {
  /** seals the data and envelope of a new event that concerns no user */
  seal: (event: {
    id: string;
    type: string;
    companyId: number;
    data: Record<string, unknown>;
    now: number;
  }) => Promise<{ data: string; envelope: string }>;
  /** opens a column of an event row; `envelope` also opens the bodies of the event's deliveries; throws a SealError */
  open: (column: "data" | "envelope", sealed: string, event: { companyId: number; eventId: string }) => Promise<string>;
  /** returns the data with personal data masked, for lists */
  mask: (data: Record<string, unknown>) => Record<string, unknown>;
};

/** The dependencies of webhooks. They are built once per request, cron or queue batch. */
export type WebhooksContext = Databases & {
  /** `identity`, `email` etc.; part of queue names, sealed values and the user agent */
  service: string;
  outbox: EventStatements;
  clock: Clock;
  log: Log;
  requestId: string;
  settings: WebhookSettings;
  keys: () => Promise<KeyRing>;
  /** sends requests to the URLs of subscriptions and to the resolver */
  fetch: typeof fetch;
  /** null when the queue is not bound, which is possible only with DEBUG */
  queues: {
    first: Pick<Queue<FirstMessage>, "sendBatch"> | null;
    service: Pick<Queue<DrainMessage>, "sendBatch"> | null;
  };
  /** the binding of the email service; null when events are posted to EMAIL_SERVICE_URL */
  email: Pick<Fetcher, "fetch"> | null;
  /**
   * returns the callback targets by service client id; a target is null when its secret cannot be opened, and missing
   * when the client no longer has a callback
   */
  callbacks?: (clientIds: number[]) => Promise<Map<number, CallbackTarget | null>>;
  /** seals event data; without it, data, envelopes and bodies are stored as plain text */
  seal?: EventSeal;
  /** the type of the event that reports a failing subscription */
  failingType: string;
  /**
   * asks identity to email the owners of failing subscriptions; a repeated call for the same `notice_at` sends no second
   * email
   */
  notifyOwners: (notices: readonly RuleNotice[]) => Promise<void>;
  waitUntil: (work: Promise<unknown>) => void;
};
