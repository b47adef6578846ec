import { Agent, type IncomingHttpHeaders, request } from "node:http";

/** A call, which is also a valid `init` of `fetch`. `acceptedErrors` lists expected statuses in addition to 2xx. */
export type Call = {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  acceptedErrors?: readonly number[];
};
export type CallResponse = { text: string; headers: IncomingHttpHeaders };

/** Maximum number of concurrent calls. */
export const concurrency = 8;

const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

/** Sends a call and returns its response. Throws for any status except 2xx and its `acceptedErrors`. */
export function send({ url, method, headers, body, acceptedErrors = [] }: Call): Promise<CallResponse> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const clientRequest = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const { statusCode = 0, headers: responseHeaders } = response;
        const isAccepted = (statusCode >= 200 && statusCode < 300) || acceptedErrors.includes(statusCode);
        if (isAccepted) resolve({ text, headers: responseHeaders });
        else reject(new Error(`${method} ${url.split("?")[0]}: ${statusCode} ${text}`));
      });
    });
    clientRequest.on("error", reject);
    clientRequest.end(body);
  });
}

/**
 * Sends all calls, `concurrency` at a time. Returns their responses in order, and the times of the start and of the last
 * response (ms since the epoch).
 */
export async function sendAll(
  calls: Call[],
): Promise<{ responses: CallResponse[]; startedAt: number; endedAt: number }> {
  const responses: CallResponse[] = new Array(calls.length);
  let next = 0;
  const startedAt = performance.timeOrigin + performance.now();
  const work = async () => {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      if (call) responses[index] = await send(call);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { responses, startedAt, endedAt: performance.timeOrigin + performance.now() };
}

/** Closes all connections. */
export function closeConnections(): void {
  agent.destroy();
}
