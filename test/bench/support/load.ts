import { Agent, type IncomingHttpHeaders, request } from "node:http";

/** A call, which is also a valid `init` of `fetch`. `refusals` lists expected statuses in addition to 2xx. */
export type Call = {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  refusals?: readonly number[];
};
export type Answer = { text: string; headers: IncomingHttpHeaders };

/** Maximum number of concurrent calls. */
export const atOnce = 8;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

/** Sends a call and returns its response. Throws for any status except 2xx and its `refusals`. */
export function send({ url, method, headers, body, refusals = [] }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        const isRight = (statusCode >= 200 && statusCode < 300) || refusals.includes(statusCode);
        if (isRight) resolve({ text, headers: answered });
        else reject(new Error(`${method} ${url.split("?")[0]}: ${statusCode} ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Sends all calls, `atOnce` at a time. Returns their responses in order, and the times of the start and of the last
 * response (ms since the epoch).
 */
export async function sendAll(calls: Call[]): Promise<{ answers: Answer[]; startedAt: number; endedAt: number }> {
  const answers: Answer[] = new Array(calls.length);
  let next = 0;
  const startedAt = performance.timeOrigin + performance.now();
  const work = async () => {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at];
      if (call) answers[at] = await send(call);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { answers, startedAt, endedAt: performance.timeOrigin + performance.now() };
}

/** Closes all connections. */
export function closeConnections(): void {
  agent.destroy();
}
