import type { ServerResponse } from "node:http";
import type { DevEvent } from "../../schemas/shell/page.ts";

export type Events = {
  /** keeps the connection of a page open and sends the current state to the page */
  connect: (response: ServerResponse, state: DevEvent) => void;
  send: (event: DevEvent) => void;
  count: () => number;
  close: () => void;
};

const heartbeatMs = 25_000;

/** Creates the stream of server-sent events to connected pages. */
export function createEvents(): Events {
  const pages = new Set<ServerResponse>();
  const write = (text: string) => {
    for (const page of pages) page.write(text);
  };
  // Proxies close idle connections.
  const heartbeat = setInterval(() => write(": keepalive\n\n"), heartbeatMs);
  heartbeat.unref();
  return {
    connect: (response, state) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      response.write(`retry: 500\n\n${frame(state)}`);
      pages.add(response);
      response.on("close", () => pages.delete(response));
    },
    send: (event) => write(frame(event)),
    count: () => pages.size,
    close: () => {
      clearInterval(heartbeat);
      for (const page of pages) page.end();
      pages.clear();
    },
  };
}

function frame(event: DevEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
