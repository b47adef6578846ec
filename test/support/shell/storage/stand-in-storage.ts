import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Cleanup } from "../../cli/project.ts";
import { type Answer, type Fields, storageRoutes } from "./routes.ts";
import { createStoredFiles, type Limits, type Refusal, refused } from "./stored.ts";

export type StandInStorage = {
  url: string;
  limits: Limits;
  /** paths in the bucket `company` */
  paths: () => string[];
  /** Puts a file of another user into the bucket `company`. */
  put: (path: string, bytes: Buffer) => void;
  /** Pauses reading uploads until the returned function is called. */
  hold: () => () => void;
  /** Drops all connections and accepts no new ones until the returned function is called. */
  cut: () => () => void;
};

const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "authorization, content-type, x-request-id, x-upsert",
  "Access-Control-Allow-Methods": "GET, POST, DELETE",
  "Access-Control-Max-Age": "600",
};

/** Starts a server with the storage protocol: the bucket `company`, its objects, folders and quotas. */
export async function startStorage({ onTestFinished }: Cleanup): Promise<StandInStorage> {
  const files = createStoredFiles();
  const routes = storageRoutes(files);
  let paused: Promise<void> | null = null;

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://storage");
    const path = pathname.replace("/storage/v1/", "").split("/").map(decodeURIComponent).join("/");
    const person = personOf(request);
    const bytes = async () => {
      await paused;
      return await buffer(request);
    };
    const json = async () => JSON.parse((await buffer(request)).toString()) as Fields;
    for (const [method, pattern, route] of routes) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match) return await route(match.slice(1), { person, headers: request.headers, query, bytes, json });
    }
    throw refused(404, "not_found");
  };

  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    void answer(request)
      .catch((error: unknown) => problemOf(error))
      .then(({ status = 200, body, headers }) => {
        // Unwanted bodies are read too, because browsers deliver no response before the whole body is sent.
        request.resume();
        const text = Buffer.isBuffer(body) ? body : JSON.stringify(body);
        response.writeHead(status, { "Content-Type": "application/json", ...cors, ...headers }).end(text);
      });
    return undefined;
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    limits: files.limits,
    paths: () => [...files.bucketOf("company").keys()].toSorted(),
    put: (path, bytes) => void files.put("company", path, bytes, "text/plain", "someone"),
    hold() {
      let release: () => void = () => undefined;
      paused = new Promise((done) => {
        release = () => {
          paused = null;
          done();
        };
      });
      return () => release();
    },
    cut() {
      const refuse = (socket: Socket) => socket.destroy();
      server.on("connection", refuse).closeAllConnections();
      return () => void server.off("connection", refuse);
    },
  };
}

/** Returns the user of a token without verifying it. */
function personOf({ headers }: IncomingMessage): string {
  const claims = /^Bearer [^.]+\.([^.]+)\./.exec(headers.authorization ?? "")?.[1];
  if (claims === undefined) throw refused(401, "authentication_required");
  return String((JSON.parse(Buffer.from(claims, "base64url").toString()) as Fields).sub);
}

function problemOf(error: unknown): Answer {
  if (!(error instanceof Error && "code" in error)) return { status: 500, body: { error_code: "internal_error" } };
  const { status, code, more } = error as Refusal;
  return { status, body: { error_code: code, request_id: randomUUID(), ...more } };
}
