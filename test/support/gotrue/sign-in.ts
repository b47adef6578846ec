import { createHash, randomUUID } from "node:crypto";
import type { Account, Accounts, Fields } from "./accounts.ts";
import { goTrueError, isGoTrueError, parametersOf } from "./errors.ts";
import type { createMails } from "./mails.ts";
import { allowedOr, withCode, withError, withTokens } from "./redirects.ts";
import { readSigned } from "./web3.ts";

export type ProjectSettings = {
  email: boolean;
  web3: boolean;
  disableSignup: boolean;
  /** names of the enabled providers */
  providers: string[];
};
type Parts = {
  settings: ProjectSettings;
  accounts: Accounts;
  mails: ReturnType<typeof createMails>;
  url: () => string;
};
type Flow = { provider: string; redirectTo: string; challenge: string | null; code?: string; person?: Account };

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Creates the operations that start a session: links, codes, providers with PKCE, and wallets. */
export function createSignIn({ settings, accounts, mails, url }: Parts) {
  const flows = new Map<string, Flow>();

  const join = (email: string, provider: string, metadata: Fields = {}): Account => {
    if (settings.disableSignup) throw goTrueError(422, "signup_disabled", "Signups not allowed for this instance");
    return accounts.add(email, provider, metadata);
  };

  function exchange({ auth_code, code_verifier }: Fields) {
    const flowEntry = [...flows].find(([, { code }]) => code !== undefined && code === auth_code);
    if (flowEntry === undefined || flowEntry[1].person === undefined)
      throw goTrueError(404, "flow_state_not_found", "invalid flow state, no valid flow state found");
    const [id, { challenge, person }] = flowEntry;
    if (createHash("sha256").update(text(code_verifier)).digest("base64url") !== challenge)
      throw goTrueError(400, "bad_code_verifier", "code challenge does not match previously saved code verifier");
    flows.delete(id);
    return accounts.issue(person, "oauth");
  }

  function signInByWallet({ chain, message, signature }: Fields) {
    if (!settings.web3) throw goTrueError(422, "web3_provider_disabled", "Web3 provider is disabled");
    if (chain !== "ethereum") throw goTrueError(400, "web3_unsupported_chain", "Unsupported chain");
    const { address, chainId, domain } = readSigned({ message: text(message), signature: text(signature) });
    const sub = `web3:ethereum:${address}`;
    const custom_claims = { address, chain, network: chainId, domain, statement: null };
    const person = accounts.findByIdentity(sub) ?? join("", "web3", { sub, custom_claims });
    return accounts.issue(person, "web3");
  }

  return {
    requestLink(body: Fields, redirectTo: string | null) {
      const email = text(body.email).toLowerCase();
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
        throw goTrueError(400, "validation_failed", "Unable to validate email address: invalid format");
      if (!settings.email) throw goTrueError(422, "email_provider_disabled", "Email logins are disabled");
      const existing = accounts.find(email);
      if (existing === undefined && body.create_user === false)
        throw goTrueError(422, "otp_disabled", "Signups not allowed for otp");
      const person = existing ?? join(email, "email");
      mails.send(email, person.confirmedAt === null ? "signup" : "magiclink", allowedOr(redirectTo));
      return {};
    },

    /** Opens the link of a mail. Returns the URL to redirect to. */
    openLink(query: URLSearchParams): string {
      const redirectTo = allowedOr(query.get("redirect_to"));
      const type = query.get("type") ?? "";
      try {
        const { email } = mails.useLink(query.get("token") ?? "", type);
        const person = accounts.find(email);
        if (person === undefined) throw goTrueError(403, "otp_expired", "Email link is invalid or has expired");
        return withTokens(redirectTo, accounts.issue(person, "otp"), type);
      } catch (error) {
        if (isGoTrueError(error)) return withError(redirectTo, error, false);
        throw error;
      }
    },

    verifyCode({ type, email, token }: Fields) {
      if (type !== "email" && type !== "magiclink" && type !== "signup")
        throw goTrueError(400, "validation_failed", "Verify requires a verification type");
      const mail = mails.useCode(text(email).toLowerCase(), text(token));
      const person = accounts.find(mail.email);
      if (person === undefined) throw goTrueError(403, "otp_expired", "Token has expired or is invalid");
      return accounts.issue(person, "otp");
    },

    /** Returns the URL of the provider's page. This server also serves that page. */
    authorize(query: URLSearchParams): string {
      const provider = query.get("provider") ?? "";
      if (!settings.providers.includes(provider))
        throw goTrueError(400, "validation_failed", "Unsupported provider: provider is not enabled");
      const challenge = query.get("code_challenge");
      const method = query.get("code_challenge_method")?.toLowerCase();
      if (challenge !== null && (method !== "s256" || !/^[\w.~-]{43,128}$/.test(challenge)))
        throw goTrueError(400, "validation_failed", "PKCE flow requires code_challenge_method and code_challenge");
      const state = randomUUID();
      flows.set(state, { provider, challenge, redirectTo: allowedOr(query.get("redirect_to")) });
      return `${url()}/provider?state=${state}`;
    },

    /** Returns the URL to redirect to after the provider's callback. */
    returned(query: URLSearchParams): string {
      const flow = flows.get(query.get("state") ?? "");
      if (flow === undefined) throw goTrueError(400, "bad_oauth_state", "OAuth state parameter missing");
      const [error, error_description] = [query.get("error"), query.get("error_description") ?? ""];
      if (error !== null) return withError(flow.redirectTo, { error, error_description }, true);
      const email = `person@${flow.provider}.example`;
      try {
        flow.person = accounts.find(email) ?? join(email, flow.provider, { full_name: "Git Person", user_name: "git" });
      } catch (caught) {
        if (!isGoTrueError(caught)) throw caught;
        return withError(flow.redirectTo, { ...parametersOf(caught), error: "access_denied" }, true);
      }
      flow.code = randomUUID();
      return withCode(flow.redirectTo, flow.code);
    },

    grant(type: string | null, body: Fields) {
      if (type === "pkce") return exchange(body);
      if (type === "web3") return signInByWallet(body);
      if (type === "refresh_token") return accounts.refresh(text(body.refresh_token));
      throw goTrueError(400, "invalid_credentials", "unsupported_grant_type");
    },
  };
}
