import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";
import type { Cleanup } from "../cli/project.ts";

// An application that sends and receives plain messages, without the SDK.
const FIELD = '<input aria-label="Typed">';
const pageWith = (content: string) => `<!doctype html><meta charset="utf-8"><title>Application</title>${content}<script>
window.received = [];
addEventListener("message", ({ data }) => received.push(data));
window.sendMessage = (type, payload = {}, v = 1) => parent.postMessage({ type, v, payload }, "*");
</script>`;

/**
 * Serves an application on its own origin until the test ends; returns the origin. Shells are on the site `localhost`,
 * so an application on `127.0.0.1` is cross-site. `contentOf` returns the HTML of a path in the browser's language.
 */
export async function serveApplication(
  { onTestFinished }: Cleanup,
  host: "localhost" | "127.0.0.1" = "localhost",
  contentOf: (path: string, acceptLanguage?: string) => string = () => FIELD,
): Promise<string> {
  const server = createServer(({ url = "/", headers }, response) =>
    response
      .writeHead(200, { "Content-Type": "text/html; charset=utf-8" })
      .end(pageWith(contentOf(url, headers["accept-language"]))),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

export type ReceivedMessage = { type: string; payload: Record<string, unknown> };
type ApplicationWindow = {
  received: ReceivedMessage[];
  sendMessage: (type: string, payload?: object, v?: number) => void;
};

/** Returns the frame whose URL starts with `address`; throws without one. */
export function frameOf(shell: Page, address: string): Frame {
  const frame = shell
    .frames()
    .find((candidate) => candidate !== shell.mainFrame() && candidate.url().startsWith(address));
  if (frame === undefined) throw new Error(`no frame at ${address}`);
  return frame;
}

/** Sends a message to the shell. */
export const sendToShell = (frame: Frame, type: string, payload: object = {}, v = 1): Promise<void> =>
  frame.evaluate(
    ([messageType, message, version]) =>
      (window as unknown as ApplicationWindow).sendMessage(messageType, message, version),
    [type, payload, v] as const,
  );

/**
 * Resolves when the page has handled all messages from the frame, and the frame all messages from the page. This works
 * because messages between two windows keep their order.
 */
export async function settleMessages(page: Page, frame: Frame): Promise<void> {
  const fence = `fence-${crypto.randomUUID()}`;
  await page.evaluate((name) => {
    addEventListener(
      "message",
      ({ data, source }) => data === name && source?.postMessage(name, { targetOrigin: "*" }),
    );
  }, fence);
  await frame.evaluate(
    (name) =>
      new Promise<void>((done) => {
        const onMessage = (event: MessageEvent) => {
          if (event.data !== name) return;
          // The application's listener was added first, so it has recorded the message.
          (window as unknown as ApplicationWindow).received.pop();
          removeEventListener("message", onMessage);
          done();
        };
        addEventListener("message", onMessage);
        parent.postMessage(name, "*");
      }),
    fence,
  );
}

/** Returns the payloads that the application received of a type, oldest first. */
export const receivedBy = (frame: Frame, type: string): Promise<ReceivedMessage["payload"][]> =>
  frame.evaluate(
    (name) =>
      (window as unknown as ApplicationWindow).received
        .filter((message) => message.type === name)
        .map(({ payload }) => payload),
    type,
  );
