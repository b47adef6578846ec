import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { apiSettings } from "../mail/workers.ts";
import type { Settings } from "../support/runtime.ts";

/** The mails that arrived at a provider: number and time of the first one (ms since the epoch) by address. */
export type Arrivals = Map<string, { mails: number; at: number }>;

/** A provider on loopback that accepts every mail. Like real ones, it accepts each idempotency key once. */
export type Provider = { settings: Settings; arrivals: Arrivals; clear: () => void; close: () => void };

/** Starts a provider on a free port. */
export async function startProvider(): Promise<Provider> {
  const arrivals: Arrivals = new Map();
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { to } = JSON.parse(Buffer.concat(chunks).toString()) as { to: string[] };
      const key = String(request.headers["idempotency-key"]);
      if (!keys.has(key)) {
        keys.add(key);
        for (const address of to) {
          const earlier = arrivals.get(address);
          arrivals.set(address, { mails: (earlier?.mails ?? 0) + 1, at: earlier?.at ?? Date.now() });
        }
      }
      response.end(JSON.stringify({ id: key }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    settings: apiSettings((server.address() as AddressInfo).port),
    arrivals,
    clear: () => {
      arrivals.clear();
      keys.clear();
    },
    close: () => server.close(),
  };
}
