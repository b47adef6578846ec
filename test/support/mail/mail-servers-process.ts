import { readFileSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { startApiServer } from "./mail-api-server.ts";
import { RAW_SCENARIOS, type RawScenario, startRawSmtpServer } from "./raw-smtp-server.ts";
import { type RelayKind, startRelay } from "./relay-server.ts";

/**
 * The ports of the servers on 127.0.0.1. `control` is the base URL of the HTTP server, which contains the mail API, the
 * resolver, and the records of all servers.
 */
export type MailServers = {
  control: string;
  relays: Record<RelayKind, number>;
  raw: Record<RawScenario, number>;
  /** A port on which nothing listens. */
  closed: number;
};

/** Starts every server and sends their ports to the parent process; ends with the parent. */
async function startServers(): Promise<MailServers> {
  const read = (name: string) => readFileSync(new URL(`../tls/${name}`, import.meta.url), "utf8");
  const certificates = {
    trusted: { key: read("server.key"), cert: read("server.pem") },
    untrusted: { key: read("untrusted.key"), cert: read("untrusted.pem") },
  };
  const recorded = new Map<string, unknown>();
  const relays = { plain: 0, starttls: 0, tls: 0, loginOnly: 0, noStartTls: 0, noAuth: 0, untrusted: 0 };
  for (const kind of Object.keys(relays) as RelayKind[]) relays[kind] = await startRelay(kind, certificates, recorded);
  const raw = Object.fromEntries(RAW_SCENARIOS.map((scenario) => [scenario, 0])) as Record<RawScenario, number>;
  for (const scenario of RAW_SCENARIOS) raw[scenario] = portOf(await startRawSmtpServer(scenario, recorded));
  const api = await startApiServer(recorded);
  const unused = await startRawSmtpServer("closeAtOnce", new Map());
  const closed = portOf(unused);
  await new Promise((done) => unused.close(done));
  return { control: `http://127.0.0.1:${portOf(api)}`, relays, raw, closed };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

process.on("disconnect", () => process.exit(0));
process.send?.(await startServers());
