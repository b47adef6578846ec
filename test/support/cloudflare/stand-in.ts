import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerPublic } from "./public-web.ts";
import { type Call, routes } from "./routes.ts";
import { createState, Refusal, type State } from "./state.ts";

/** The next calls that match get this response instead. */
type Fault = { pattern: RegExp; times: number; status: number; code?: number; message?: string; retryAfter?: number };
/** Cuts the connection at the n-th changing call, before or after executing it, and at all calls after it. */
type Cut = { at: number; when: "before" | "after" };

/** Answers the n-th changing call, or the n-th of all calls, and its repetitions with an error, before or after executing it. */
export type Failure = Cut & { of?: "changes" | "calls"; status: number; times: number; retryAfter?: number };

export type StandIn = {
  url: string;
  token: string;
  state: State;
  /** method and path of each API call, since the last `heal` */
  calls: string[];
  /** calls that change the account, since the last `heal` */
  changes: string[];
  faults: Fault[];
  /** Workers, or parts of their code, that report that they are not healthy */
  unhealthy: Set<string>;
  cut: (cut: Cut) => void;
  failAt: (failure: Failure) => void;
  heal: () => void;
  /** the address at which the stand-in answers for a public URL */
  publicUrl: (url: string) => string;
  close: () => Promise<void>;
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const formOf = (request: IncomingMessage, body: Buffer): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { "content-type": request.headers["content-type"] ?? "" } }).formData();

const envelope = (result: unknown) => ({ success: true, errors: [], messages: [], result });
const rejection = (code: number, message: string) => ({
  success: false,
  errors: [{ code, message }],
  messages: [],
  result: null,
});

/**
 * Starts a stand-in for Cloudflare's REST API on loopback. It keeps the resources of one account with one zone, rejects what the
 * real API rejects, and answers public requests to the deployed Workers.
 */
export async function startStandIn(): Promise<StandIn> {
  const state = createState();
  const token = "api-token-of-the-test";
  const calls: string[] = [];
  const changes: string[] = [];
  const faults: Fault[] = [];
  const unhealthy = new Set<string>();
  let cut: Cut | null = null;
  let failure: Failure | null = null;
  /** the call that fails; distinguishes its repetitions from other calls at the same time */
  let failing: string | null = null;
  let isDown = false;

  /** Executes a call. Throws a Refusal. */
  async function execute(
    request: IncomingMessage,
    url: URL,
    body: Buffer,
    method: string,
    path: string,
  ): Promise<unknown> {
    const found = routes.find(([verb, pattern]) => verb === method && pattern.test(path));
    if (found === undefined) throw new Refusal(404, 7003, `Could not route to ${path}`);
    const [, pattern, handle] = found;
    const isJson = request.headers["content-type"] === "application/json";
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const call: Call = {
      url,
      json: isJson ? JSON.parse(body.toString()) : {},
      form: () => formOf(request, body),
      token,
    };
    return handle(state, call, ...(pattern.exec(path)?.slice(1) ?? []));
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const body = await readBody(request);
    const method = request.method ?? "GET";
    const path = url.pathname.slice("/client/v4".length);
    const isChange = method !== "GET" && !/\/query$/.test(path);
    const sql = path.endsWith("/query") ? String(JSON.parse(body.toString()).sql) : "";
    const isWrite = isChange || (sql !== "" && !/^(SELECT|CREATE TABLE IF NOT EXISTS "d1_migrations")/.test(sql));
    calls.push(`${method} ${path}`);
    if (isWrite) changes.push(`${method} ${path}`);
    const isCut = isWrite && cut !== null && changes.length === cut.at;
    if (isDown || (isCut && cut?.when === "before")) {
      isDown = true;
      request.socket.destroy();
      return;
    }
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
      if (isCut) {
        isDown = true;
        request.socket.destroy();
        return;
      }
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    };
    // The boundary of a form is random.
    const isJson = request.headers["content-type"] === "application/json";
    const key = `${method} ${request.url} ${isJson ? body.toString() : ""}`;
    const isCounted = isWrite || failure?.of === "calls";
    const count = failure?.of === "calls" ? calls.length : changes.length;
    if (failure !== null && failing === null && isCounted && count === failure.at) failing = key;
    if (failure !== null && failing === key && failure.times > 0) {
      failure.times -= 1;
      const { status, retryAfter } = failure;
      if (failure.when === "after") await execute(request, url, body, method, path).catch(() => undefined);
      const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return send(status, rejection(10013, "An unknown error has occurred."), headers);
    }
    const fault = faults.find(({ pattern, times }) => times > 0 && pattern.test(`${method} ${path}`));
    if (fault !== undefined) {
      fault.times -= 1;
      const headers: Record<string, string> =
        fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return send(
        fault.status,
        rejection(fault.code ?? 10013, fault.message ?? "An unknown error has occurred."),
        headers,
      );
    }
    const bearer = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (bearer !== token && !path.endsWith("/assets/upload"))
      return send(403, rejection(10000, "Authentication error"));
    try {
      send(200, envelope(await execute(request, url, body, method, path)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(error.status, rejection(error.code, error.message));
    }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    try {
      const [, host, path = "/"] = /^\/public\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
      if (host === undefined) return await answerApi(request, response, url);
      const body = (await readBody(request)).toString();
      const authorization = request.headers.authorization ?? "";
      const overrides = String(request.headers["cloudflare-workers-version-overrides"] ?? "");
      const reply = answerPublic(state, unhealthy, host, path, { authorization, overrides, body });
      const lines = [reply.body].flat().map((line) => `${JSON.stringify(line)}\n`);
      response.writeHead(reply.status, { "content-type": "application/json" }).end(lines.join(""));
    } catch (error) {
      response.writeHead(599).end(String(error));
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/client/v4`,
    token,
    state,
    calls,
    changes,
    faults,
    unhealthy,
    cut: (next) => {
      cut = next;
    },
    failAt: (next) => {
      failure = { ...next };
      failing = null;
    },
    heal: () => {
      cut = null;
      failure = null;
      isDown = false;
      calls.length = 0;
      changes.length = 0;
    },
    publicUrl: (url) => url.replace("https://", `${origin}/public/`),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
