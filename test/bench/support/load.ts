import { Agent, type IncomingHttpHeaders, request } from "node:http";

/** One call; also what `fetch` takes beside the URL. `refusals`: statuses that are right besides 2xx. */
export type Call = {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  refusals?: readonly number[];
};
export type Answer = { text: string; headers: IncomingHttpHeaders };

/** Calls that are under way at the same time. */
export const atOnce = 8;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

/** The answer of a call; any status but 2xx and its `refusals` is an error. */
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

/** Sends all calls, some at once; their answers in order, and when the last one came (unix ms). */
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

/** Ends the connections. */
export function closeConnections(): void {
  agent.destroy();
}
