import type { SmtpVendor, TransportName } from "../../../../schemas/email/delivery/transports";
import type { EmailSettings } from "../../settings";

/** What says that no person wrote a mail: no answer by a machine shall follow (RFC 3834, and what Exchange reads). */
export const AUTOMATIC_HEADERS = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" } as const;

/** One rendered mail, ready for a provider. `messageId` is `msg_` + 32 lower-case hex. */
export type OutgoingMail = {
  messageId: string;
  from: { name: string; address: string };
  to: string;
  /** The recipient's own name, where it is known. */
  toName?: string;
  replyTo?: string;
  subject: string;
  html: string;
  text: string;
  headers?: Record<string, string>;
  /** unix ms of its acceptance: the `Date` of each attempt */
  acceptedAt: number;
  lane: "auth" | "transactional" | "bulk";
  companyId: number;
  requestId: string;
};

export type RetryCode =
  | "provider_unauthorized"
  | "provider_rate_limited"
  | "provider_unavailable"
  | "provider_timeout"
  | "provider_unreachable"
  | "delivery_unknown"
  | "provider_error";

export type FinalCode = "provider_rejected" | "provider_host_not_public" | "provider_error";

/**
 * What one attempt came to. `detail` is a filtered answer of at most 200 characters for
 * the trace; `pause` asks for a pause of the company's lane; `lost` means that the lease ended before DATA, so that
 * nothing was sent and nothing may be stored.
 */
export type ProviderOutcome =
  | { kind: "accepted"; providerMessageId: string; detail?: string }
  | { kind: "retry"; code: RetryCode; retryAfterSeconds?: number; detail?: string; pause?: boolean }
  | { kind: "final"; code: FinalCode; detail?: string }
  | { kind: "lost" };

/** A relay. `timeoutMs` bounds each step; `useSsl` wins over `useTls`; an empty `username` means no AUTH. */
export type SmtpConfig = {
  host: string;
  port: number;
  username: string;
  password: string;
  useTls: boolean;
  useSsl: boolean;
  timeoutMs: number;
  checkPublicHost: boolean;
  /** Whose relay it is; missing and `auto`: by the host. */
  vendor?: SmtpVendor | "none" | "auto";
};

/** A mail API. `baseUrl` has no trailing slash; `timeoutMs` bounds the whole call. */
export type ApiConfig = { baseUrl: string; apiKey: string; timeoutMs: number };

/** Credentials as they are sealed. Only the transport that they are of reads them. */
export type Credentials = Readonly<Record<string, string | number | boolean>>;
export type ProviderCredentials = Credentials & { readonly kind: TransportName };

/** The settings of the deployment that transports read. */
export type TransportSettings = Pick<
  EmailSettings,
  "platformApi" | "relay" | "relayVendor" | "allowCompanySmtp" | "apiTimeoutMs" | "smtpTimeoutMs"
>;

/** What an open transport calls out by. `resolve` answers the addresses of a host name. */
export type TransportRuntime = {
  fetch: typeof globalThis.fetch;
  resolve: (name: string) => Promise<string[]>;
};

/**
 * `deadline` (unix ms) ends the attempt, besides the time of each step. A transport that hands the content over in a step of its own
 * calls `beforeData` once, right before it; false means that the lease is lost.
 */
export type SendOptions = { deadline?: number; beforeData: () => Promise<boolean> };

/** Carries mails of one sender. `send` answers every failure as an outcome; it throws only what `beforeData` throws. */
export type Transport = {
  send(mail: OutgoingMail, options: SendOptions): Promise<ProviderOutcome>;
  close(): Promise<void>;
};

/** A transport with its credentials. `timeoutMs` bounds an attempt; `parallel`: how many of so many mails it carries at a time. */
export type TransportConfig = {
  timeoutMs: number;
  parallel: (mails: number) => number;
  open(runtime: TransportRuntime): Transport;
};

/** Why companies cannot use a transport on this deployment, and the setting that decides it. */
export type CompanyRefusal = { code: "company_smtp_disabled" | "provider_not_configured"; setting: string };

/** How mail reaches a kind of provider. A new one is a file in delivery/transports and a line of the catalog there. */
export type TransportDefinition = {
  name: TransportName;
  /** The credential whose last characters are shown as a hint. */
  secretField: string;
  /** The credentials by which two configurations are the same sender. */
  identityFields: readonly string[];
  /** Whether its webhooks are those of the HTTP mail API, proven by the company's secret while it sends by it. */
  hasStandardWebhooks: boolean;
  refuseCompanies(settings: TransportSettings): CompanyRefusal | null;
  /** The known keys of the `credentials` of `PUT /api/v1/provider`; throws a 400 with the fields that are wrong. */
  validate(input: Record<string, unknown>, context: CredentialContext): Promise<Credentials>;
  /** Sealed credentials, or null when they are not complete. */
  parse(sealed: Record<string, unknown>): Credentials | null;
  /** The platform's own credentials by the settings, or null. */
  platformCredentials(settings: TransportSettings): Credentials | null;
  /** Null when the settings lack what the transport needs. */
  configure(
    credentials: Credentials,
    scope: "company" | "platform",
    settings: TransportSettings,
  ): TransportConfig | null;
};

/** What judging credentials needs. */
export type CredentialContext = { debug: boolean; resolve: (name: string) => Promise<string[]> };
