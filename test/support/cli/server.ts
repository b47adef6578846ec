import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { serve } from "../../../cli/serve/server.ts";
import type { ServeOptions } from "../../../cli/serve/state.ts";
import type { DevEvent, Finding, PageData } from "../../../schemas/shell/page.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { type Cleanup, makeProject } from "./project.ts";
import { writeShell } from "./shell.ts";

/** Starts a development server in this process with the minimal shell of ./shell.ts, and closes it after the test. */
export async function startServer(context: Cleanup, root: string, options: Partial<ServeOptions> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const shell = await readShellFiles({ PLATFORM_SHELL: writeShell(join(makeProject(context, {}), "shell")) });
  const serving = await serve({
    root: undefined,
    cwd: root,
    target: "web",
    isOpen: false,
    isStrict: false,
    port: await findFreePort(),
    env: {},
    shell,
    output: { out: (line) => out.push(line), err: (line) => err.push(line) },
    ...options,
  });
  if (serving === undefined) throw new Error(err.join("\n"));
  context.onTestFinished(() => serving.close());
  const port = serving.port();
  const get = (path: string, headers: Record<string, string> = {}) => getRaw(serving.port(), path, headers);
  return { serving, port, get, out, err };
}

/** Sends a request without normalizing its path. */
function getRaw(port: number, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((done, fail) => {
    const call = request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    call.on("error", fail).end();
  });
}

type Event = { type: DevEvent["type"]; page?: PageData; findings?: Finding[] };

/** Connects to the server's event stream, as a page does, and returns functions that read the events. */
export async function follow({ onTestFinished }: Cleanup, port: number) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const response = await fetch(`http://127.0.0.1:${port}/__dev/events`, { signal: end.signal });
  const lines = readLines(response);
  const next = async (): Promise<Event> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("the stream ended");
      if (value.startsWith("data: ")) return JSON.parse(value.slice(6)) as Event;
    }
  };
  const nextOf = async (type: DevEvent["type"]): Promise<Event> => {
    for (;;) {
      const event = await next();
      if (event.type === type) return event;
    }
  };
  return { next, nextOf };
}

async function* readLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let incompleteLine = "";
  for await (const chunk of response.body ?? []) {
    incompleteLine += decoder.decode(chunk, { stream: true });
    const lines = incompleteLine.split("\n");
    incompleteLine = lines.pop() ?? "";
    yield* lines;
  }
}
