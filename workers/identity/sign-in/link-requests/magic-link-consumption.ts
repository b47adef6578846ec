import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { CompanyRow, SignInRequestRow } from "../../../../db/identity/schema";
import { uuid } from "../../../kit/ids";
import type { ClientContext } from "../../caller/client/client-context";
import type { TokenPayload } from "../../caller/credentials/token";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { issueCode, openSession, type SignIn } from "../completion/sign-in";
import { consumeRequestOfKnownUser, consumeSignInRequest } from "./magic-link.store";

/** The sign-in of a link or typed code, which proves the address it was sent to; `person` as they were read before. */
function signInOf({ clock }: IdentityServices, { request: row, user, company }: VerifiedLink): SignIn {
  const now = clock.now();
  const nonce = uuid();
  const { id, company_id: companyId, email } = row;
  const use = { id, companyId, email, now, nonce };
  const isKnown = user?.state === "allowed" && user.is_active && user.email_verified_at !== null;
  return {
    source: "magic_link",
    key: id,
    nonce,
    now,
    use: consumeSignInRequest(use),
    known: isKnown ? { user, use: consumeRequestOfKnownUser(use) } : null,
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

/** A live link whose use is decided, and the person whom it addresses. */
type VerifiedLink = { request: SignInRequestRow; user: CompanyUserRow | null; company: CompanyRow };

/** Spends the link and opens a session. Throws `magic_link_invalid` when the race is lost. */
export async function consumeForSession(
  services: IdentityServices,
  used: VerifiedLink,
  client: ClientContext,
): Promise<TokenPayload> {
  const payload = await openSession(services, signInOf(services, used), client);
  if (!payload) throw new Problem("magic_link_invalid");
  return payload;
}

/** Spends the link for an auth code that the application redeems (delivery `code`). Answers the raw code. */
export async function consumeForCode(
  services: IdentityServices,
  used: VerifiedLink,
  client: ClientContext,
): Promise<string> {
  const code = await issueCode(services, signInOf(services, used), client);
  if (code === null) throw new Problem("magic_link_invalid");
  return code;
}
