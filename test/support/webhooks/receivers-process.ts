import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

/**
 * The addresses of the receivers on 127.0.0.1. A webhook URL is `{origin}/hook/{scenario}/{key}`; its calls are
 * recorded under the key. `{control}/recorded/{key}?secret=` returns them, and whether independent libraries accept
 * their signatures. `{control}/program/{key}` sets one scenario per call of `/hook/program/{key}`; the last one
 * repeats. `{control}/dns/{mode}` is a DNS resolver. Nothing listens at `closed`.
 */
export type WebhookReceivers = { control: string; origins: string[]; closed: string };

/**
 * A recorded call. `body` is the raw bytes in base64. `standardwebhooks` and `svix` are the verdicts of these
 * libraries, or null without a secret.
 */
export type RecordedCall = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  at: number;
  standardwebhooks: boolean | null;
  svix: boolean | null;
};

type Call = Omit<RecordedCall, "standardwebhooks" | "svix">;

const calls = new Map<string, Call[]>();
const programs = new Map<string, string[]>();
const lookUps: Record<string, number> = {};
/** Running calls by key, and the maximum that ran at once. */
const running = new Map<string, { now: number; maxParallel: number }>();

const ADDRESSES: Record<string, { A: string[]; AAAA: string[]; ttl: number }> = {
  "public.example.test": { A: ["93.184.216.34"], AAAA: [], ttl: 300 },
  "brief.example.test": { A: ["93.184.216.34"], AAAA: [], ttl: 5 },
  "mixed.example.test": { A: ["93.184.216.34", "10.0.0.7"], AAAA: [], ttl: 60 },
  "private6.example.test": { A: ["93.184.216.34"], AAAA: ["fd00::7"], ttl: 60 },
};

/**
 * Responses by scenario: a number is a status, `503-after-7` a status with Retry-After, `slow-50` 200 after 50 ms,
 * `from-3` 503 before the third attempt of a delivery and 200 from then on.
 */
const ANSWERS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  ok: (_request, response) => response.writeHead(200).end("thanks"),
  moved: (_request, response) => response.writeHead(301, { location: "/hook/ok/moved-target" }).end(),
  closed: (_request, response) => response.socket?.destroy(),
  /** sends the status line in time, then a body that never ends */
  drip: (_request, response) => {
    response.writeHead(500);
    dripInto(response, () => response.write("."));
  },
  dripok: (_request, response) => {
    response.writeHead(200);
    dripInto(response, () => response.write("."));
  },
  /** sends a status line and headers that never end */
  drippinghead: (_request, response) => {
    const { socket } = response;
    socket?.write("HTTP/1.1 200 OK\r\n");
    let count = 0;
    dripInto(response, () => {
      count += 1;
      socket?.write(`x-drip-${count}: 1\r\n`);
    });
  },
  never: () => undefined,
  long: (_request, response) => response.writeHead(500).end(`${"é".repeat(400)}`),
  binary: (_request, response) => response.writeHead(500).end(Buffer.from([0xff, 0xfe, 0x00, 0x41])),
  echo: (request, response) =>
    response.writeHead(500).end(`you sent ${String(request.headers.authorization)} and ${request.url?.split("?")[1]}`),
};

function dripInto(response: ServerResponse, drop: () => void): void {
  const timer = setInterval(drop, 50);
  response.on("close", () => clearInterval(timer));
}

function respond(scenario: string, request: IncomingMessage, response: ServerResponse): void {
  const [status = "", retryAfter] = scenario.split("-after-");
  const slow = /^slow-(\d+)$/.exec(scenario);
  const from = /^from-(\d+)$/.exec(scenario);
  if (from !== null) {
    const attempt = Number(request.headers["x-platform-delivery-attempt"]);
    response.writeHead(attempt < Number(from[1]) ? 503 : 200).end();
  } else if (slow !== null) setTimeout(() => response.writeHead(200).end(), Number(slow[1]));
  else if (/^\d{3}$/.test(status)) {
    if (retryAfter !== undefined) response.setHeader("Retry-After", decodeURIComponent(retryAfter));
    response.writeHead(Number(status)).end(status === "204" ? undefined : `answer ${status}`);
  } else (ANSWERS[scenario] ?? (() => response.writeHead(404).end("no such scenario")))(request, response);
}

function receive(scenario: string, key: string, request: IncomingMessage, response: ServerResponse): void {
  const at = Date.now();
  const count = running.get(key) ?? { now: 0, maxParallel: 0 };
  running.set(key, { now: count.now + 1, maxParallel: Math.max(count.maxParallel, count.now + 1) });
  response.on("close", () => {
    const present = running.get(key);
    if (present) running.set(key, { ...present, now: present.now - 1 });
  });
  readBody(request, (body) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const recorded = calls.get(key) ?? [];
    recorded.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers,
      body: body.toString("base64"),
      at,
    });
    calls.set(key, recorded);
    const program = programs.get(key) ?? ["ok"];
    const name = scenario === "program" ? (program[Math.min(recorded.length, program.length) - 1] ?? "ok") : scenario;
    respond(name, request, response);
  });
}

function verify(call: Call, secret: string): Pick<RecordedCall, "standardwebhooks" | "svix"> {
  const body = Buffer.from(call.body, "base64");
  const verdict = (check: () => unknown): boolean => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  };
  return {
    standardwebhooks: verdict(() => new StandardWebhook(secret).verify(body, call.headers)),
    svix: verdict(() => new SvixWebhook(secret).verify(body, call.headers)),
  };
}

type Route = (path: string[], url: URL, request: IncomingMessage, response: ServerResponse) => void;

/** Handlers by the first segment of the path. */
const ROUTES: Record<string, Route> = {
  hook: ([scenario = "", key = ""], _url, request, response) => receive(scenario, key, request, response),
  recorded: ([key = ""], url, _request, response) => {
    const secret = url.searchParams.get("secret");
    const noSignatures = { standardwebhooks: null, svix: null };
    const recordedCalls = calls.get(key) ?? [];
    sendJson(
      response,
      200,
      recordedCalls.map((call) => ({ ...call, ...(secret === null ? noSignatures : verify(call, secret)) })),
    );
  },
  running: ([key = ""], _url, _request, response) =>
    sendJson(response, 200, running.get(key) ?? { now: 0, maxParallel: 0 }),
  program: ([key = ""], _url, request, response) => {
    readBody(request, (body) => {
      programs.set(key, JSON.parse(body.toString("utf8")));
      sendJson(response, 200, {});
    });
  },
  dns: ([mode = ""], url, _request, response) => sendJson(response, ...resolveDns(mode, url)),
  "look-ups": ([name = ""], _url, _request, response) => sendJson(response, 200, lookUps[name] ?? 0),
};

function handle(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://receivers.example.test");
  const [first = "", ...path] = url.pathname.slice(1).split("/");
  const route = ROUTES[first] ?? (() => response.writeHead(404).end());
  route(path, url, request, response);
}

/** Returns the status and body of a response of the DNS resolver. `/dns/down` is a broken resolver. */
function resolveDns(mode: string, url: URL): [status: number, body: unknown] {
  const name = url.searchParams.get("name") ?? "";
  const type = url.searchParams.get("type") === "AAAA" ? "AAAA" : "A";
  lookUps[name] = (lookUps[name] ?? 0) + 1;
  if (mode === "down") return [503, {}];
  const zone = ADDRESSES[name];
  if (!zone) return [200, { Status: 3 }];
  const records = zone[type].map((data) => ({ name, type: type === "A" ? 1 : 28, TTL: zone.ttl, data }));
  return [200, { Status: 0, Answer: records }];
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(Buffer.concat(chunks)));
}

async function listen(): Promise<{ server: Server; origin: string }> {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

process.on("disconnect", () => process.exit(0));
const listening = await Promise.all(Array.from({ length: 6 }, listen));
const unused = await listen();
await new Promise((done) => unused.server.close(done));
const origins = listening.map(({ origin }) => origin);
process.send?.({ control: origins[0] ?? "", origins, closed: unused.origin } satisfies WebhookReceivers);
