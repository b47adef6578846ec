import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/**
 * Starts a relay on a free loopback port that accepts and counts every mail. `lastAt` is the arrival of the newest mail
 * (ms since the epoch).
 */
export async function startSink() {
  const counts = { mails: 0, connections: 0, lastAt: 0 };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    authOptional: true,
    // The types of the package lack this option.
    ...({ disableReverseLookup: true } as object),
    onData(stream, _session, done) {
      stream.resume().on("end", () => {
        counts.mails += 1;
        counts.lastAt = performance.timeOrigin + performance.now();
        done();
      });
    },
  });
  server.server.on("connection", () => {
    counts.connections += 1;
  });
  // The runtime closes open connections when the benchmark ends.
  server.on("error", ({ message }) => console.error(`relay: ${message}`));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.server.address() as AddressInfo).port,
    counts: () => ({ ...counts }),
    close: () => server.close(() => undefined),
  };
}
