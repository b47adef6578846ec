import type { RuleNotice } from "../../../schemas/rpc";
import type { Clock } from "../clock";
import type { KeyRing } from "../crypto/seal";
import type { Databases } from "../db/db";
import type { Log } from "../log";
import type { DrainMessage, FirstMessage } from "./dispatch/messages";
import type { EventStatements } from "./event-store/event-statements.store";
import type { WebhookSettings } from "./settings";

/** Where a callback of a service client goes, and its secret. */
export type CallbackTarget = { url: string; secret: string };

/** How a service that seals what its events say opens it again. */
export type EventSeal = {
  /** What is stored of a new event that names nobody. */
  seal: (event: {
    id: string;
    type: string;
    companyId: number;
    data: Record<string, unknown>;
    now: number;
  }) => Promise<{ data: string; envelope: string }>;
  /** The text of a column of an event's row, or, as `envelope`, the body of its deliveries. Throws a SealError. */
  open: (column: "data" | "envelope", sealed: string, event: { companyId: number; eventId: string }) => Promise<string>;
  /** what lists show of the data */
  mask: (data: Record<string, unknown>) => Record<string, unknown>;
};

/** What webhooks need of a service; built once per request, cron or queue batch. */
export type WebhooksContext = Databases & {
  /** `identity`, `email`, …: names queues, sealed values and the user agent */
  service: string;
  outbox: EventStatements;
  clock: Clock;
  log: Log;
  requestId: string;
  settings: WebhookSettings;
  keys: () => Promise<KeyRing>;
  /** outbound requests to rule URLs and the resolver */
  fetch: typeof fetch;
  /** null: not bound (DEBUG only) */
  queues: {
    first: Pick<Queue<FirstMessage>, "sendBatch"> | null;
    service: Pick<Queue<DrainMessage>, "sendBatch"> | null;
  };
  /** the email service by a binding; null: posts go to EMAIL_SERVICE_URL */
  email: Pick<Fetcher, "fetch"> | null;
  /** targets of callbacks by service client id, null where the secret does not open; others get no callback any more */
  callbacks?: (clientIds: number[]) => Promise<Map<number, CallbackTarget | null>>;
  /** missing: data, envelopes and bodies are stored as they are */
  seal?: EventSeal;
  /** the type of the event that tells of a rule that has begun to fail */
  failingType: string;
  /** Has identity mail the owners of rules; repeated for the same `told_at`, nobody is mailed twice. */
  tellOwners: (notices: readonly RuleNotice[]) => Promise<void>;
  waitUntil: (work: Promise<unknown>) => void;
};
