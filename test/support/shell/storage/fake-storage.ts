import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Cleanup } from "../../cli/project.ts";
import { type Fields, type StorageResponse, storageRoutes } from "./routes.ts";
import { createStoredFiles, type Limits, type StorageError, storageError } from "./stored.ts";

export type FakeStorage = {
  url: string;
  limits: Limits;
  /** paths in the bucket `company` */
  paths: () => string[];
  /** Puts a file of another user into the bucket `company`. */
  put: (path: string, bytes: Buffer) => void;
  /** Pauses reading uploads until the returned function is called. */
  hold: () => () => void;
  /** Drops all connections and accepts no new ones until the returned function is called. */
  disconnect: () => () => void;
};

const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "authorization, content-type, x-request-id, x-upsert",
  "Access-Control-Allow-Methods": "GET, POST, DELETE",
  "Access-Control-Max-Age": "600",
};

/** Starts a server with the storage protocol: the bucket `company`, its objects, folders and quotas. */
export async function startStorage({ onTestFinished }: Cleanup): Promise<FakeStorage> {
  const files = createStoredFiles();
  const routes = storageRoutes(files);
  let paused: Promise<void> | null = null;

  const respond = async (request: IncomingMessage): Promise<StorageResponse> => {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://storage");
    const path = pathname.replace("/storage/v1/", "").split("/").map(decodeURIComponent).join("/");
    const userId = userIdOf(request);
    const bytes = async () => {
      await paused;
      return await buffer(request);
    };
    const json = async () => JSON.parse((await buffer(request)).toString()) as Fields;
    for (const [method, pattern, route] of routes) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (match) return await route(match.slice(1), { userId, headers: request.headers, query, bytes, json });
    }
    throw storageError(404, "not_found");
  };

  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    void respond(request)
      .catch(errorResponse)
      .then(({ status = 200, body, headers }) => {
        // Rejected bodies are read too, because browsers deliver no response before the whole body is sent.
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
    disconnect() {
      const destroy = (socket: Socket) => socket.destroy();
      server.on("connection", destroy).closeAllConnections();
      return () => void server.off("connection", destroy);
    },
  };
}

/** Returns the user of a token without verifying it. */
function userIdOf({ headers }: IncomingMessage): string {
  const claims = /^Bearer [^.]+\.([^.]+)\./.exec(headers.authorization ?? "")?.[1];
  if (claims === undefined) throw storageError(401, "authentication_required");
  return String((JSON.parse(Buffer.from(claims, "base64url").toString()) as Fields).sub);
}

function errorResponse(error: unknown): StorageResponse {
  if (!(error instanceof Error && "code" in error)) return { status: 500, body: { error_code: "internal_error" } };
  const { status, code, details } = error as StorageError;
  return { status, body: { error_code: code, request_id: randomUUID(), ...details } };
}
