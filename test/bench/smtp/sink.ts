import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { SMTPServer } from "smtp-server";

/**
 * Starts a relay on a free loopback port that accepts and counts every mail. `lastAt` is the arrival of the newest mail
 * (ms since the epoch). `pauseMs` is a pause after each chunk that the relay reads.
 */
export async function startSink({ pauseMs = 0 } = {}) {
  const counts = { mails: 0, connections: 0, lastAt: 0 };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    authOptional: true,
    // The types of the package lack this option.
    ...({ disableReverseLookup: true } as object),
    onData(stream, _session, done) {
      readSlowly(stream, pauseMs).then(() => {
        counts.mails += 1;
        counts.lastAt = performance.timeOrigin + performance.now();
        done();
      }, done);
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

/** Reads a stream to its end, with a pause after each chunk. */
export async function readSlowly(stream: Readable, pauseMs: number): Promise<void> {
  for await (const _ of stream) if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
}
