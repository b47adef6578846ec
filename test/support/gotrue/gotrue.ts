import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Account, createAccounts, type Fields } from "./accounts.ts";
import { createGateway, type Operation } from "./gateway.ts";
import { createMails } from "./mails.ts";
import { createSignIn, type ProjectSettings } from "./sign-in.ts";

/** A GoTrue project, with actions of its administrator and access to its mails. */
export type GoTrue = {
  url: string;
  publishableKey: string;
  settings: ProjectSettings;
  /** the link and code of the last mail to an address */
  mailTo: (email: string) => { link: string; code: string };
  person: (email: string) => Account | undefined;
  /** ends all sessions of a user */
  endSessions: (email: string) => void;
  /** requests as `METHOD path`, in order */
  calls: string[];
  close: () => void;
};

const consent = (state: string | null) => `<!doctype html><title>Provider</title>
<h1>Let the project know who you are?</h1>
<a href="/auth/v1/callback?state=${state}&code=x">Authorize</a>
<a href="/auth/v1/callback?state=${state}&error=access_denied&error_description=x">Cancel</a>`;

/**
 * Starts a GoTrue server in this process, behind a gateway that requires the publishable key. It implements the
 * protocol as GoTrue's API document, error codes and client describe it.
 */
export async function startGoTrue(): Promise<GoTrue> {
  const publishableKey = "public-key";
  const settings: ProjectSettings = { email: true, web3: true, disableSignup: false, providers: ["github"] };
  const calls: string[] = [];
  let url = "";
  const accounts = createAccounts(() => `${url}/auth/v1`);
  const mails = createMails();
  const signIn = createSignIn({ settings, accounts, mails, url: () => url });

  const publicSettings = () => ({
    external: {
      anonymous_users: false,
      apple: false,
      github: false,
      google: false,
      email: settings.email,
      phone: false,
      ...Object.fromEntries(settings.providers.map((name) => [name, true])),
    },
    disable_signup: settings.disableSignup,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sms_provider: "twilio",
    saml_enabled: false,
  });
  /** Merges `data` into the user's metadata. A null value deletes its key. */
  const change = (account: Account, { data }: Fields) => {
    const joined = Object.entries({ ...account.metadata, ...(data as Fields | undefined) });
    account.metadata = Object.fromEntries(joined.filter(([, value]) => value !== null));
    return accounts.publicOf(account);
  };
  const operations: Record<string, Operation> = {
    "GET /settings": () => ({ json: publicSettings() }),
    "POST /otp": (body, query) => ({ json: signIn.requestLink(body, query.get("redirect_to")) }),
    "GET /verify": (_, query) => ({ redirect: signIn.openLink(query) }),
    "POST /verify": (body) => ({ json: signIn.verifyCode(body) }),
    "GET /authorize": (_, query) => ({ redirect: signIn.authorize(query) }),
    "GET /provider": (_, query) => ({ html: consent(query.get("state")) }),
    "GET /callback": (_, query) => ({ redirect: signIn.returned(query) }),
    "POST /token": (body, query) => ({ json: signIn.grant(query.get("grant_type"), body) }),
    "GET /user": (_, __, bearer) => ({ json: accounts.publicOf(accounts.sessionOf(bearer).person) }),
    "PUT /user": (body, _, bearer) => ({ json: change(accounts.sessionOf(bearer).person, body) }),
    "POST /logout": (_, query, bearer) => {
      const session = accounts.sessionOf(bearer);
      if (query.get("scope") === "local") accounts.end(session);
      else accounts.endAll(session.person);
      return null;
    },
  };

  const respond = createGateway({ publishableKey, operations, calls });
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => respond(request, response, text));
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    publishableKey,
    settings,
    mailTo(email) {
      const mail = mails.last(email);
      if (mail === undefined) throw new Error(`no mail to ${email}`);
      const { hash, type, code, redirectTo } = mail;
      const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo });
      return { link: `${url}/auth/v1/verify?${query}`, code };
    },
    person: accounts.find,
    endSessions(email) {
      const account = accounts.find(email);
      if (account !== undefined) accounts.endAll(account);
    },
    calls,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
