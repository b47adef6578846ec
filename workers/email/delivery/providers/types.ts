import type { SmtpVendor } from "../../../../schemas/email/provider";

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
