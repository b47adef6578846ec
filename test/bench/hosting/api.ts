import { createHash } from "node:crypto";
import { request } from "node:http";

export type Site = Map<string, Uint8Array>;
type Deployment = { id: string; status: string; missing: string[]; bytes_missing: number; error: string | null };

/** A response of a host, with its headers. */
export type HostResponse = { status: number; headers: Record<string, string | string[] | undefined>; bytes: number };

/** Sends a GET with this Host to the front, and returns the response. */
export function getFrom(front: string, host: string, path: string, headers = {}): Promise<HostResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, front), { headers: { ...headers, host } }, (response) => {
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Returns a client of hosting's API that counts the bytes of the files that it sends. */
export function createClient(url: string, bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  let sentBytes = 0;

  async function call<T>(
    method: string,
    path: string,
    body?: BodyInit,
    extra: Record<string, string> = {},
  ): Promise<T> {
    const response = await fetch(`${url}/hosting/v1/${path}`, {
      method,
      headers: { ...headers, ...extra },
      body: body ?? null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path.slice(0, 80)}: ${response.status} ${text.slice(0, 300)}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }
  const post = <T>(path: string, json: unknown) =>
    call<T>("POST", path, JSON.stringify(json), { "content-type": "application/json" });

  const manifestOf = (site: Site) =>
    Object.fromEntries([...site].map(([path, bytes]) => [path, { sha256: sha256(bytes), size: bytes.length }]));

  /** Creates a deployment and uploads the missing files, six at a time. Returns its id. */
  async function upload(app: string, site: Site): Promise<string> {
    const manifest = manifestOf(site);
    const { id, missing } = await post<Deployment>(`apps/${app}/deployments`, { app_version: "1.0.0", manifest });
    const files = new Map([...site.values()].map((bytes) => [sha256(bytes), bytes]));
    const queue = [...missing];
    const work = async () => {
      for (let hash = queue.pop(); hash !== undefined; hash = queue.pop()) {
        const bytes = files.get(hash) ?? new Uint8Array();
        sentBytes += bytes.length;
        await call("PUT", `apps/${app}/blobs/${hash}`, bytes as BodyInit);
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    return id;
  }

  const finalize = (app: string, id: string, wait = 0) =>
    call<Deployment>("POST", `apps/${app}/deployments/${id}/finalize?wait=${wait}`);

  return {
    call,
    post,
    upload,
    finalize,
    rollback: (app: string, id: string) => call<Deployment>("POST", `apps/${app}/deployments/${id}/rollback`),
    read: (app: string, id: string) => call<Deployment>("GET", `apps/${app}/deployments/${id}`),
    takeSentBytes: () => {
      const bytes = sentBytes;
      sentBytes = 0;
      return bytes;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
