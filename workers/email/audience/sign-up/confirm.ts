import { CONFIRMATION_TOKEN_PATTERN } from "../../../../schemas/email/audience/sign-up";
import { hmacHex, sha256Hex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import { openSubscriberAddress } from "../../records/seal/seal";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import { type ConfirmationLink, findConfirmationLink, storeConfirmation } from "./confirm.store";
import { findLimited } from "./lookup";

export type { ConfirmationLink } from "./confirm.store";

const tokenPattern = new RegExp(CONFIRMATION_TOKEN_PATTERN);

/** Returns the valid link with this token, or null for an unknown, replaced or expired one. Confirmed links never expire. */
export async function readConfirmationLink(
  services: EmailServices,
  request: Request,
  token: string,
): Promise<ConfirmationLink | null> {
  if (!tokenPattern.test(token)) return null;
  const hash = await sha256Hex(token);
  const link = await findLimited(services, request, hash, () => findConfirmationLink(services.platformDb, hash));
  if (link === null || !isValid(link.subscriber, services.clock.now())) return null;
  return link;
}

function isValid({ status, token_expires_at, email_enc }: ConfirmationLink["subscriber"], now: number): boolean {
  return status === "confirmed" || (token_expires_at !== null && token_expires_at > now && email_enc !== null);
}

/**
 * Confirms the subscription of a valid link and stores the proof of consent. A repeated call changes nothing. Returns false when the
 * link stopped working in the meantime.
 */
export async function confirmSubscription(
  services: EmailServices,
  request: Request,
  token: string,
  { subscriber }: ConfirmationLink,
): Promise<boolean> {
  if (subscriber.status === "confirmed") return true;
  const { id, company_id: companyId, list_id, list_name, language, source, text_version } = subscriber;
  const now = services.clock.now();
  const keys = await services.keys();
  const data = { list_id, list_name, email: await openSubscriberAddress(subscriber, keys), language, source };
  const stored = await storeConfirmation(services.webhooks, services.dbOf(companyId), {
    id,
    companyId,
    tokenHash: await sha256Hex(token),
    consent: { at: now, ip_hash: await addressHash(keys.peppers, request), text_version: text_version ?? "" },
    event: await sealedEvent(keys, { type: "email.newsletter.confirmed", companyId, data, now }),
    now,
  });
  return stored?.status === "confirmed";
}

/** Returns the HMAC of the client's network address, or null when it is unknown. */
async function addressHash(
  [pepper = new Uint8Array()]: readonly Uint8Array[],
  request: Request,
): Promise<string | null> {
  const address = clientIpKey(request);
  return address === "unknown" ? null : hmacHex(pepper, `ip\n${address}`);
}
