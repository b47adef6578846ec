import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow, SignInRequestRow } from "../../../../db/identity/schema";
import { uuid } from "../../../kit/ids";
import type { ClientContext } from "../../caller/client/client-context";
import type { TokenPayload } from "../../caller/credentials/token";
import type { InvitationOfAddress } from "../../company/memberships/membership";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { issueCode, openSession, type SignIn } from "../completion/sign-in";
import { consumeRequestOfVerifiedMember, consumeSignInRequest } from "./magic-link.store";

/** Returns the SignIn of a link or typed code. Both prove the address. `user` is the row that was read before. */
function signInOf({ clock }: IdentityServices, { request: row, user, company, invitation }: VerifiedLink): SignIn {
  const now = clock.now();
  const nonce = uuid();
  const { id, company_id: companyId, email } = row;
  const consumption = { id, companyId, email, now, nonce };
  const isMember = user?.state === "allowed";
  // A public company admits the address again.
  const wasMember = isMember && company.access_mode !== "public";
  const isVerifiedMember = isMember && user.is_active && user.email_verified_at !== null && invitation === null;
  return {
    source: "magic_link",
    key: id,
    nonce,
    now,
    consume: consumeSignInRequest({ ...consumption, invitationId: invitation?.id ?? null, wasMember }),
    verifiedMember: isVerifiedMember ? { user, consume: consumeRequestOfVerifiedMember(consumption) } : null,
    invitation,
    linking: [],
    companyId,
    email,
    isProven: true,
    profile: { firstName: "", lastName: "", avatarUrl: null },
    provider: "magic_link",
    redirectTo: row.redirect_to,
    codeChallenge: row.code_challenge,
    clientTimezone: row.client_timezone,
    deviceHash: row.device_hash,
    isNotified: company.notify_new_device,
  };
}

/** A live link that may be consumed, the user to whose address it was sent, and the invitation that the sign-in accepts. */
type VerifiedLink = {
  request: SignInRequestRow;
  user: CompanyUserRow | null;
  company: CompanyRow;
  invitation: InvitationOfAddress | null;
};

/**
 * Consumes the link and opens a session. Throws `magic_link_invalid` when the link could not be consumed, for example because
 * another request consumed it first.
 */
export async function consumeForSession(
  services: IdentityServices,
  link: VerifiedLink,
  client: ClientContext,
): Promise<TokenPayload> {
  const payload = await openSession(services, signInOf(services, link), client);
  if (!payload) throw new Problem("magic_link_invalid");
  return payload;
}

/**
 * Consumes the link and stores an auth code that the application redeems (delivery `code`). Returns the raw code. Throws
 * `magic_link_invalid` when the link could not be consumed.
 */
export async function consumeForCode(
  services: IdentityServices,
  link: VerifiedLink,
  client: ClientContext,
): Promise<string> {
  const code = await issueCode(services, signInOf(services, link), client);
  if (code === null) throw new Problem("magic_link_invalid");
  return code;
}
