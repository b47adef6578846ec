import { type KeyRing, open, SealError } from "../../crypto/seal";
import type { ClaimedRow } from "../dispatch/dispatch";
import type { OutgoingPost } from "./attempt";
import { sign } from "./signing-secret";

/** Returns the additional authenticated data (AAD) of a sealed column of a subscription. */
export function ruleAad(
  service: string,
  column: "secret_enc" | "previous_secret_enc" | "authorization_enc",
  companyId: number,
): string {
  return `${service}:action_rules:${column}:${companyId}`;
}

/** The columns of a subscription from which its target is built. */
export type RuleSecrets = Pick<
  ClaimedRow,
  | "company_id"
  | "url"
  | "secret_enc"
  | "previous_secret_enc"
  | "previous_secret_expires_at"
  | "authorization_enc"
  | "allow_private_urls"
>;

/** The current URL of a delivery and the secrets that sign it. */
export type WebhookTarget = {
  url: string;
  /** the current secret, followed by the previous secret during its overlap */
  secrets: string[];
  authorization: string | null;
  allowPrivate: boolean;
};

/** Decrypts the secrets of a subscription and returns its target, or null when a sealed value cannot be opened. */
export async function openTarget(
  row: RuleSecrets,
  { service, keys, now, allowPrivate }: { service: string; keys: KeyRing; now: number; allowPrivate: boolean },
): Promise<WebhookTarget | null> {
  const read = (sealed: string, column: Parameters<typeof ruleAad>[1]) =>
    open(sealed, keys, ruleAad(service, column, row.company_id));
  try {
    const secret = await read(row.secret_enc ?? "", "secret_enc");
    const isOverlap = (row.previous_secret_expires_at ?? 0) > now && row.previous_secret_enc !== null;
    const previous = isOverlap ? [await read(row.previous_secret_enc ?? "", "previous_secret_enc")] : [];
    const authorization =
      row.authorization_enc === null ? null : await read(row.authorization_enc, "authorization_enc");
    return {
      url: row.url ?? "",
      secrets: [secret, ...previous],
      authorization,
      allowPrivate: allowPrivate || row.allow_private_urls === true,
    };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * Returns the signed POST of an envelope. `now` (unix ms) is the time of signing. `requestId` is `sjr-<run id>` in a
 * job run, and null otherwise.
 */
export async function webhookPost(
  target: WebhookTarget,
  message: { service: string; eventId: string; eventType: string; body: string; attempt: number },
  { now, requestId }: { now: number; requestId: string | null },
): Promise<OutgoingPost> {
  const { url, secrets, authorization, allowPrivate } = target;
  const { service, eventId, eventType, body, attempt } = message;
  const timestamp = Math.floor(now / 1000);
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": `platform-${service}-webhooks/1.0`,
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await sign(secrets, { id: eventId, timestamp, body }),
    "X-Platform-Event": eventType,
    "X-Platform-Delivery-Attempt": String(attempt),
    ...(authorization === null ? {} : { Authorization: authorization }),
    ...(requestId === null ? {} : { "X-Request-ID": requestId }),
  };
  return { url, headers, body, hidden: hiddenIn(secrets, authorization), allowPrivate };
}

/**
 * Returns the values to remove from a stored response: the secrets and the Authorization value. A receiver may repeat
 * that value without its scheme, so the credential alone is included too.
 */
function hiddenIn(secrets: readonly string[], authorization: string | null): string[] {
  const credential = authorization?.split(" ").at(-1) ?? "";
  return [
    ...(authorization === null ? [] : [authorization]),
    ...(credential.length >= 8 ? [credential] : []),
    ...secrets,
  ];
}
