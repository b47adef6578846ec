import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Record<string, unknown>;
type Person = { id: string; email: string; user_metadata: Fields };

export type GoTrue = {
  url: string;
  /** what a mail to an address would hold */
  mailTo: (email: string) => { link: string; code: string };
  person: (email: string) => Person | undefined;
  /** lines `METHOD path` in their order */
  calls: string[];
  close: () => void;
};

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * A server of this process that speaks the wire of GoTrue as its documentation has it: settings, links whose tokens come back in the
 * fragment, codes, a provider by PKCE, refresh tokens that are used once, user and logout. Its key is `public-key`.
 */
export async function startGoTrue(): Promise<GoTrue> {
  const people = new Map<string, Person>();
  const mails = new Map<string, { link: string; code: string; redirectTo: string }>();
  const refreshTokens = new Map<string, Person>();
  const flows = new Map<string, { challenge: string; person: Person }>();
  const calls: string[] = [];
  let url = "";

  const personOf = (email: string) => {
    const known = people.get(email) ?? { id: randomUUID(), email, user_metadata: {} };
    people.set(email, known);
    return known;
  };
  const issue = (person: Person) => {
    const refresh_token = randomUUID();
    refreshTokens.set(refresh_token, person);
    const now = Math.floor(Date.now() / 1000);
    const { id: sub, email, user_metadata } = person;
    const claims = {
      sub,
      email,
      role: "authenticated",
      app_metadata: { provider: "email" },
      user_metadata,
      iat: now,
      exp: now + 3600,
    };
    const access_token = `${part({ alg: "HS256" })}.${part(claims)}.${randomUUID()}`;
    return { access_token, refresh_token, token_type: "bearer", expires_in: 3600, expires_at: now + 3600 };
  };
  const bearerOf = ({ headers }: IncomingMessage) => {
    const claims = headers.authorization?.split(".")[1];
    const { email } = JSON.parse(claims === undefined ? "{}" : Buffer.from(claims, "base64url").toString()) as Fields;
    return people.get(String(email));
  };
  const pages: Record<string, (query: URLSearchParams) => string> = {
    "/verify": (query) => {
      const [email, mail] = [...mails].find(([, { code }]) => code === query.get("token")) ?? [];
      if (email === undefined || mail === undefined)
        return `${query.get("redirect_to")}#error=access_denied&error_code=otp_expired&error_description=x`;
      mails.delete(email);
      const tokens = Object.entries(issue(personOf(email))).map(([name, value]) => [name, String(value)]);
      return `${mail.redirectTo}#${new URLSearchParams(tokens)}&type=magiclink`;
    },
    "/authorize": (query) => {
      const code = randomUUID();
      flows.set(code, { challenge: query.get("code_challenge") ?? "", person: personOf("git@example.com") });
      const back = new URL(query.get("redirect_to") ?? "");
      back.searchParams.set("code", code);
      return back.href;
    },
  };
  const operations: Record<
    string,
    (body: Fields, query: URLSearchParams, request: IncomingMessage) => object | undefined
  > = {
    "GET /settings": () => ({ external: { email: true, phone: false, github: true, google: false } }),
    "POST /otp": ({ email }, query) => {
      const code = String(100_000 + Math.floor(Math.random() * 900_000));
      const redirectTo = query.get("redirect_to") ?? "";
      const link = `${url}/auth/v1/verify?${new URLSearchParams({ token: code, type: "magiclink", redirect_to: redirectTo })}`;
      mails.set(String(email), { link, code, redirectTo });
      return {};
    },
    "POST /verify": ({ email, token, type }) => {
      if (type !== "email" || mails.get(String(email))?.code !== token) return undefined;
      mails.delete(String(email));
      return issue(personOf(String(email)));
    },
    "POST /token": ({ auth_code, code_verifier, refresh_token }, query) => {
      if (query.get("grant_type") === "pkce") {
        const flow = flows.get(String(auth_code));
        flows.delete(String(auth_code));
        const hash = createHash("sha256").update(String(code_verifier)).digest("base64url");
        return flow?.challenge === hash ? issue(flow.person) : undefined;
      }
      const person = refreshTokens.get(String(refresh_token));
      refreshTokens.delete(String(refresh_token));
      return person && issue(person);
    },
    "GET /user": (_, __, request) => bearerOf(request),
    "PUT /user": ({ data }, _, request) => {
      const person = bearerOf(request);
      if (person !== undefined) Object.assign(person.user_metadata, data);
      return person;
    },
    "POST /logout": () => ({}),
  };

  const answer = (request: IncomingMessage, response: ServerResponse, text: string) => {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    const path = pathname.replace("/auth/v1", "");
    const cors = {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Headers": "*",
      "Access-Control-Allow-Methods": "*",
    };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    calls.push(`${request.method} ${path}`);
    const page = request.method === "GET" ? pages[path] : undefined;
    if (page !== undefined) return response.writeHead(303, { Location: page(searchParams) }).end();
    const isKnown = request.headers.apikey === "public-key";
    const found = isKnown
      ? operations[`${request.method} ${path}`]?.(
          text === "" ? {} : (JSON.parse(text) as Fields),
          searchParams,
          request,
        )
      : undefined;
    const status = !isKnown ? 401 : found === undefined ? (path === "/verify" ? 403 : 400) : 200;
    const error = path === "/verify" ? "otp_expired" : "refresh_token_not_found";
    return response
      .writeHead(status, { ...cors, "Content-Type": "application/json" })
      .end(JSON.stringify(found ?? { code: status, error_code: error, msg: "x" }));
  };
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => answer(request, response, text));
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    mailTo: (email) => {
      const mail = mails.get(email);
      if (mail === undefined) throw new Error(`no mail to ${email}`);
      return mail;
    },
    person: (email) => people.get(email),
    calls,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
