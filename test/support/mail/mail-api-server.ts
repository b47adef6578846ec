import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

const ADDRESSES: Record<string, { A: string[]; AAAA: string[] }> = {
  "public.example.test": { A: ["93.184.216.34"], AAAA: ["2606:2800:220:1:248:1893:25c8:1946"] },
  "mixed.example.test": { A: ["93.184.216.34", "10.0.0.7"], AAAA: [] },
  "private6.example.test": { A: ["93.184.216.34"], AAAA: ["fd00::7"] },
};

/**
 * Starts one HTTP server. `/<scenario>/emails` is a mail API and `/dns/<scenario>` is a DNS resolver; both behave as
 * the scenario says. `/recorded?key=` returns a record as JSON.
 */
export async function startApiServer(recorded: Map<string, unknown>): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://control.example.test");
    const [, first = "", second = ""] = url.pathname.split("/");
    if (first === "recorded") {
      sendJson(response, 200, recorded.get(url.searchParams.get("key") ?? "") ?? null);
      return;
    }
    if (first === "dns") {
      sendJson(response, ...resolveDns(second, url));
      return;
    }
    readBody(request, (body) => {
      const key = `api:${String(request.headers["idempotency-key"])}`;
      const calls = (recorded.get(key) as unknown[] | undefined) ?? [];
      recorded.set(key, [...calls, { method: request.method, path: url.pathname, headers: request.headers, body }]);
      respondToMail(first, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** Responses by scenario; `silent` and unknown scenarios never respond. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  ok: (response) => sendJson(response, 200, { id: "provider-id-1" }),
  noid: (response) => sendJson(response, 202, { queued: true }),
  oddid: (response) => sendJson(response, 200, { id: { nested: 1 } }),
  text: (response) => response.writeHead(200).end("<html>thanks</html>"),
  huge: (response) => response.writeHead(200).end(`{"pad":"${"x".repeat(5_000_000)}","id":"too-far"}`),
  hugerefusal: (response) => response.writeHead(422).end("x ".repeat(2_500_000)),
  redirect: (response) => response.writeHead(307, { Location: "/ok/emails" }).end(),
  stalledbody: (response) => response.writeHead(200, { "Content-Type": "application/json" }).write('{"id":'),
  reset: (response) => response.socket?.destroy(),
  dripbody: (response) => drip(response.writeHead(200), "."),
  dripheaders: (response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\n");
    drip(response, "X-More: a\r\n");
  },
  bomb: (response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("y".repeat(5_000_000))),
  cut: (response) => {
    response.writeHead(500, { "Content-Length": "100" }).write("half");
    setTimeout(() => response.destroy(), 50);
  },
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `to-${status}`,
      (response: ServerResponse) => response.writeHead(status, { Location: "/ok/emails" }).end("moved"),
    ]),
  ),
  metadata: (response) => response.writeHead(302, { Location: "http://169.254.169.254/latest/meta-data/" }).end(),
};

/** Sends a piece every 20 ms until the client disconnects: each read is fast, but the response never ends. */
function drip(response: ServerResponse, piece: string): void {
  const target = response.headersSent ? response : response.socket;
  const timer = setInterval(() => target?.write(piece), 20);
  response.socket?.on("close", () => clearInterval(timer));
}

function respondToMail(scenario: string, response: ServerResponse): void {
  const [status = "", retryAfter] = scenario.split("-after-");
  if (retryAfter !== undefined) response.setHeader("Retry-After", decodeURIComponent(retryAfter));
  if (/^\d{3}$/.test(status)) {
    sendJson(response, Number(status), { message: "refused for who@example.test by https://api.example.test/x" });
  } else {
    ANSWERS[scenario]?.(response);
  }
}

/** Returns the status and body of a DNS response. */
function resolveDns(scenario: string, url: URL): [status: number, body: unknown] {
  const name = url.searchParams.get("name") ?? "";
  const type = url.searchParams.get("type") === "AAAA" ? "AAAA" : "A";
  if (scenario === "broken" || (scenario === "half" && type === "AAAA")) return [200, { Status: 2 }];
  if (scenario === "down") return [503, {}];
  const registeredAddress = ADDRESSES[name];
  if (!registeredAddress) return [200, { Status: 3 }];
  const alias = { name, type: 5, TTL: 60, data: "alias.example.test." };
  const records = registeredAddress[type].map((data) => ({ name, type: type === "A" ? 1 : 28, TTL: 60, data }));
  return [200, { Status: 0, Answer: [alias, ...records] }];
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(Buffer.concat(chunks).toString("utf8")));
}
