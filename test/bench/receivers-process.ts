import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The origins of the benchmark's receivers, each of which counts as one host. `{origin}/{ms}` returns 200 after that
 * time, and `{origin}/never` does not respond.
 */
export type BenchReceivers = { origins: string[] };

/** Milliseconds from the time in the envelope to the arrival of its first attempt, at receivers that respond. */
const latencies: number[] = [];

/** `GET /latencies` returns the latencies since the last call. */
function handle(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/latencies") {
    response.end(JSON.stringify(latencies.splice(0)));
    return;
  }
  const arrivedAt = Date.now();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { time } = JSON.parse(Buffer.concat(chunks).toString()) as { time: string };
    const delayMs = Number(request.url?.slice(1));
    if (!Number.isInteger(delayMs)) return;
    if (request.headers["x-platform-delivery-attempt"] === "1") latencies.push(arrivedAt - Date.parse(time));
    setTimeout(() => response.writeHead(200).end(), delayMs);
  });
}

async function listen(): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

process.on("disconnect", () => process.exit(0));
const servers = await Promise.all(Array.from({ length: 50 }, listen));
const origins = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
process.send?.({ origins } satisfies BenchReceivers);
