import type { SignInRequestRow } from "../../../db/identity/schema";
import { uuid } from "../../kit/ids";
import type { ClientContext } from "../caller/client-context";
import type { TokenPayload } from "../caller/token";
import { Problem } from "../problem";
import type { IdentityServices } from "../services";
import { issueCode, openSession, type SignIn } from "../sign-in/sign-in";
import { consumeSignInRequest } from "./magic-link.store";

/** The sign-in of a link or typed code, which proves the address it was sent to. */
function signInOf({ clock }: IdentityServices, row: SignInRequestRow): SignIn {
  const now = clock.now();
  const nonce = uuid();
  const { id, company_id: companyId, email } = row;
  return {
    source: "magic_link",
    key: id,
    nonce,
    now,
    use: consumeSignInRequest({ id, companyId, email, now, nonce }),
    linking: [],
    companyId,
    email,
    isProven: true,
    profile: { firstName: "", lastName: "", avatarUrl: null },
    provider: "magic_link",
    totals: ["magic_links_consumed"],
    redirectTo: row.redirect_to,
    codeChallenge: row.code_challenge,
    clientTimezone: row.client_timezone,
    deviceHash: row.device_hash,
  };
}

/** Spends the link and opens a session. Throws `magic_link_invalid` when the race is lost. */
export async function consumeForSession(
  services: IdentityServices,
  row: SignInRequestRow,
  client: ClientContext,
): Promise<TokenPayload> {
  const payload = await openSession(services, signInOf(services, row), client);
  if (!payload) throw new Problem("magic_link_invalid");
  return payload;
}

/** Spends the link for an auth code that the application redeems (delivery `code`). Answers the raw code. */
export async function consumeForCode(
  services: IdentityServices,
  row: SignInRequestRow,
  client: ClientContext,
): Promise<string> {
  const code = await issueCode(services, signInOf(services, row), client);
  if (code === null) throw new Problem("magic_link_invalid");
  return code;
}
