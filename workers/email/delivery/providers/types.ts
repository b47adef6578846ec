import type { CompanyTransportName, SmtpVendor, TransportName } from "../../../../schemas/email/delivery/transports";
import type { EmailSettings } from "../../settings";

/** Headers that mark mail as automatic and suppress auto-replies (RFC 3834; the second one is for Exchange). */
export const AUTOMATIC_HEADERS = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" } as const;

/**
 * A file of a mail. `size` is in bytes. With a `contentId`, the HTML shows the file. `open` returns the stored bytes as a new
 * stream and throws when they cannot be read.
 */
export type OutgoingAttachment = {
  filename: string;
  contentType: string;
  contentId: string | null;
  size: number;
  open: () => Promise<ReadableStream<Uint8Array>>;
};

/** One rendered mail, ready for a provider. `messageId` is `msg_` and 32 lower-case hex characters. */
export type OutgoingMail = {
  messageId: string;
  from: { name: string; address: string };
  to: string;
  /** The recipient's name, if known. */
  toName?: string;
  replyTo?: string;
  subject: string;
  html: string;
  text: string;
  headers?: Record<string, string>;
  attachments?: readonly OutgoingAttachment[];
  /** the time of acceptance in unix ms; every attempt sends it as the `Date` header */
  acceptedAt: number;
  lane: "auth" | "transactional" | "bulk";
  companyId: number;
  /** `provider_ref` of the broadcast of the mail, if any */
  broadcastRef?: string;
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
 * The outcome of one attempt. `detail` is the filtered response for the trace, at most 200 characters. `pause` requests a
 * pause of the lane of the company. `lost`: `beforeData` returned false, so nothing was sent.
 */
export type ProviderOutcome =
  | { kind: "accepted"; providerMessageId: string; detail?: string }
  | { kind: "retry"; code: RetryCode; retryAfterSeconds?: number; detail?: string; pause?: boolean }
  | { kind: "final"; code: FinalCode; detail?: string }
  | { kind: "lost" };

/** An SMTP relay. `timeoutMs` limits each step. `useSsl` takes precedence over `useTls`. An empty `username` disables AUTH. */
export type SmtpConfig = {
  host: string;
  port: number;
  username: string;
  password: string;
  useTls: boolean;
  useSsl: boolean;
  timeoutMs: number;
  checkPublicHost: boolean;
  /** The vendor of the relay. When it is undefined or `auto`, the host decides. */
  vendor?: SmtpVendor | "none" | "auto";
};

/** A mail API. `baseUrl` has no trailing slash. `timeoutMs` limits the whole call. */
export type ApiConfig = { baseUrl: string; apiKey: string; timeoutMs: number };

/** Credentials as they are encrypted and stored. Only their transport reads them. */
export type Credentials = Readonly<Record<string, string | number | boolean>>;
export type ProviderCredentials = Credentials & { readonly kind: CompanyTransportName };

/** The settings that transports read. */
export type TransportSettings = Pick<
  EmailSettings,
  | "platformApi"
  | "relay"
  | "relayVendor"
  | "sendEmail"
  | "defaultFrom"
  | "allowCompanySmtp"
  | "apiTimeoutMs"
  | "smtpTimeoutMs"
>;

/** Network access of an open transport. `resolve` returns the addresses of a host name. */
export type TransportRuntime = {
  fetch: typeof globalThis.fetch;
  resolve: (name: string) => Promise<string[]>;
};

/**
 * `deadline` (unix ms) limits the attempt, in addition to the timeout of each step. A transport that sends the content in a
 * separate step calls `beforeData` once, right before that step. `beforeData` returns false when the mail must not be sent.
 */
export type SendOptions = { deadline?: number; beforeData: () => Promise<boolean> };

/** Sends mails of one sender. `send` returns every failure as an outcome and throws only the errors of `beforeData`. */
export type Transport = {
  send(mail: OutgoingMail, options: SendOptions): Promise<ProviderOutcome>;
  close(): Promise<void>;
};

/**
 * A transport with its credentials. `timeoutMs` limits an attempt. `parallel` returns how many of `mails` mails are sent at a
 * time.
 */
export type TransportConfig = {
  timeoutMs: number;
  parallel: (mails: number) => number;
  open(runtime: TransportRuntime): Transport;
};

/** The reason why companies cannot use a transport on this deployment, and the setting that controls it. */
export type CompanyRefusal = { code: "company_smtp_disabled" | "provider_not_configured"; setting: string };

/** A transport of the platform sender. delivery/transports/catalog.ts says how to add one. */
export type PlatformTransportDefinition = {
  name: TransportName;
  /** The credentials that identify a sender. Two configurations with equal values are the same sender. */
  identityFields: readonly string[];
  /** Whether the provider accepts bulk mail. */
  sendsBulk: boolean;
  /** Returns the credentials of the platform from the settings, or null when they are not set. */
  platformCredentials(settings: TransportSettings): Credentials | null;
  /** Returns the transport with these credentials, or null when a setting that it needs is missing. */
  configure(
    credentials: Credentials,
    scope: "company" | "platform",
    settings: TransportSettings,
  ): TransportConfig | null;
};

/** A transport that companies may use too, with credentials of their own. */
export type TransportDefinition = PlatformTransportDefinition & {
  name: CompanyTransportName;
  /** The credential whose last characters the API returns as a hint. */
  secretField: string;
  /** Whether webhooks of the HTTP mail API may be verified with the secret of a company that uses this transport. */
  hasStandardWebhooks: boolean;
  refuseCompanies(settings: TransportSettings): CompanyRefusal | null;
  /** Returns the known keys of `credentials` in `PUT /api/v1/provider`. Throws a 400 with the invalid fields. */
  validate(input: Record<string, unknown>, context: CredentialContext): Promise<Credentials>;
  /** Parses decrypted credentials. Returns null when they are incomplete. */
  parse(stored: Record<string, unknown>): Credentials | null;
};

/** The context in which `validate` reads credentials. `resolve` returns the addresses of a host name. */
export type CredentialContext = { debug: boolean; resolve: (name: string) => Promise<string[]> };
