import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { uuid } from "../../../kit/ids";
import { CommandRefusal } from "../../../kit/management/stream";
import { selectOldestOrigin } from "../../company/redirects/oauth-redirect";
import { eventEntry, SYSTEM_ACTOR } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { unmailedRequest } from "../../sign-in/link-requests/magic-link-request";

/**
 * Stores a sign-in request, without a code to type in, and its audit entry. Returns the sign-in link, which redirects to the
 * company's oldest allowed origin. Throws CommandRefusal when the company has no redirect origin.
 */
export async function makeSignInLink(services: IdentityServices, email: string, companyId: number): Promise<string> {
  const { db, clock, settings } = services;
  const origin = await db.first(selectOldestOrigin(companyId));
  if (!origin) throw new CommandRefusal(`company ${companyId} has no redirect origin`);
  const token = randomToken();
  const now = clock.now();
  await db.batch({
    request: unmailedRequest({
      id: uuid(),
      companyId,
      userId: null,
      email,
      tokenHash: await sha256Hex(token),
      codeHash: null,
      redirectTo: `${origin.base_url}/login/callback`,
      tokenDelivery: settings.tokenDelivery,
      codeChallenge: null,
      language: "en",
      clientTimezone: "",
      deviceHash: null,
      now,
      expiresAt: now + settings.magicLinkMs,
    }),
    entry: eventEntry({
      eventId: services.newEventId(),
      companyId,
      type: "identity.auth.sign_in_link.created",
      email,
      actor: SYSTEM_ACTOR,
      now,
    }),
  });
  return `${settings.issuer}/api/v1/magic-link/verify?token=${token}&company_id=${companyId}`;
}
