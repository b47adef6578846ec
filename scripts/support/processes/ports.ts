import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

/** Whether nothing listens on this port of the loopback addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  const answers = await Promise.all(["127.0.0.1", "::1"].map((host) => isListening(host, port)));
  return !answers.includes(true);
}

/**
 * A port of 127.0.0.1 that was free a moment ago: below those that systems give to outgoing connections (Linux from 32768, others
 * from 49152), so that none of these takes it before it is listened on, or while a server restarts.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((answer) => {
      server.once("error", () => answer(false)).listen(port, "127.0.0.1", () => answer(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
  throw new Error("no port between 20000 and 32000 is free");
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      answer(true);
    });
    // Refused, or no such address on this machine: nothing listens there.
    socket.once("error", () => answer(false));
  });
}
