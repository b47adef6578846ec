import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";
import type { Cleanup } from "../cli/project.ts";

// An application without the library: what it says and hears is the plain wire.
const page = `<!doctype html><meta charset="utf-8"><title>Application</title><input aria-label="Typed"><script>
window.heard = [];
addEventListener("message", ({ data }) => heard.push(data));
window.say = (type, payload = {}, v = 1) => parent.postMessage({ type, v, payload }, "*");
</script>`;

/** An application on an origin of its own, closed when the test is over; its origin. Shells are on the site `localhost`. */
export async function serveApplication(
  { onTestFinished }: Cleanup,
  host: "localhost" | "127.0.0.1" = "localhost",
): Promise<string> {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

export type Heard = { type: string; payload: Record<string, unknown> };
type Speaking = { heard: Heard[]; say: (type: string, payload?: object, v?: number) => void };

/** The application in the frame whose address begins so. */
export function frameOf(shell: Page, address: string): Frame {
  const frame = shell.frames().find((one) => one !== shell.mainFrame() && one.url().startsWith(address));
  if (frame === undefined) throw new Error(`no frame at ${address}`);
  return frame;
}

/** Says something to the shell. */
export const say = (frame: Frame, type: string, payload: object = {}, v = 1): Promise<void> =>
  frame.evaluate(([name, what, version]) => (window as unknown as Speaking).say(name, what, version), [
    type,
    payload,
    v,
  ] as const);

/** What the application heard of a type, oldest first. */
export const heard = (frame: Frame, type: string): Promise<Heard["payload"][]> =>
  frame.evaluate(
    (name) => (window as unknown as Speaking).heard.filter((one) => one.type === name).map(({ payload }) => payload),
    type,
  );
