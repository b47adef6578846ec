import { createServer, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Thrown when another program uses the port. */
export class PortInUseError extends Error {
  override readonly name = "PortInUseError";
  readonly port: number;

  constructor(port: number) {
    super(`Port ${port} is already in use.`);
    this.port = port;
  }
}

export type Listening = { port: number; close: () => Promise<void> };

/**
 * Listens on the IPv4 and IPv6 loopback addresses, or with `isOpen` on all IPv4 addresses and `::1`. Throws PortInUseError if a
 * program listens on the port of one loopback address, even if the other address is free.
 */
export async function listen(port: number, isOpen: boolean, handle: RequestListener): Promise<Listening> {
  const hosts = isOpen ? ["0.0.0.0", "::1"] : ["127.0.0.1", "::1"];
  const busy = await Promise.all(["127.0.0.1", "::1"].map((host) => hasListener(host, port)));
  if (busy.includes(true)) throw new PortInUseError(port);
  const servers: Server[] = [];
  try {
    for (const [index, host] of hosts.entries()) {
      const server = await bind(host, port, handle, index > 0);
      if (server !== undefined) servers.push(server);
    }
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
  return { port, close: async () => await closeAll(servers) };
}

/** Starts a server on an address. Returns undefined if the address is optional and this machine does not have it. */
function bind(host: string, port: number, handle: RequestListener, isOptional: boolean): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer(handle);
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") fail(new PortInUseError(port));
      else if (isOptional) done(undefined);
      else fail(error);
    });
    server.listen({ host, port, ipv6Only: host.includes(":") }, () => done(server));
  });
}

function hasListener(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const end = (isOpen: boolean) => {
      socket.destroy();
      done(isOpen);
    };
    socket.setTimeout(500, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

async function closeAll(servers: Server[]): Promise<void> {
  await Promise.all(
    servers.map(async (server) => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    }),
  );
}

/** Returns the IPv4 addresses at which other machines reach this one. */
export function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address);
}

/** Returns whether a Host header names this machine. Rejecting other hosts prevents DNS rebinding. */
export function isLocalHost(header: string | undefined, isOpen: boolean): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false;
  const name = new URL(`http://${header}`).hostname.toLowerCase();
  if (/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|[a-z0-9-]+\.localhost)$/.test(name)) return true;
  const machine = hostname().toLowerCase();
  return name === machine || name === `${machine}.local` || (isOpen && networkAddresses().includes(name));
}
