import { connect, createServer } from "node:net";

/** Whether nothing listens on this port of the loopback addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  const answers = await Promise.all(["127.0.0.1", "::1"].map((host) => isListening(host, port)));
  return !answers.includes(true);
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
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
