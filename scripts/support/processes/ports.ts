import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

/** Returns whether no program listens on a port of the loopback addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  const areListening = await Promise.all(["127.0.0.1", "::1"].map((host) => isListening(host, port)));
  return !areListening.includes(true);
}

/**
 * Returns a port that is free on the loopback addresses. The port is below the range for outgoing connections (Linux from 32768, others from
 * 49152). No outgoing connection can therefore use it before the server listens or while the server restarts.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    // Programs that listen on both loopback addresses need it free on the other one too.
    if (await isListening("::1", port)) continue;
    return port;
  }
  throw new Error("no port between 20000 and 32000 is free");
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    // The connection was refused, or this machine does not have the address.
    socket.once("error", () => resolve(false));
  });
}
