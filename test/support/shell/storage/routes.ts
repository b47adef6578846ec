import type { IncomingHttpHeaders } from "node:http";
import { etagOf, marker, type Stored, type StoredFiles, storageError } from "./stored.ts";

export type Fields = Record<string, unknown>;
export type StorageResponse = { status?: number; body: unknown; headers?: Record<string, string> };
export type Call = {
  userId: string;
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  bytes: () => Promise<Buffer>;
  json: () => Promise<Fields>;
};
type Route = (parts: string[], call: Call) => StorageResponse | Promise<StorageResponse>;

const maxBytes = 95_000_000;

const infoOf = (bucket: string, name: string, { id, owner, type, bytes, time }: Stored) => ({
  id,
  name,
  bucket_id: bucket,
  owner,
  created_at: time,
  updated_at: time,
  metadata: { size: bytes.length, contentLength: bytes.length, mimetype: type, eTag: etagOf(bytes) },
});

/** Returns the routes by method and path below `/storage/v1/`; the first match wins. */
export function storageRoutes(files: StoredFiles): [method: string, path: RegExp, route: Route][] {
  const { bucketOf, filesUnder } = files;

  const list: Route = async ([bucket = ""], { json }) => {
    const { prefix = "", limit = 100, offset = 0, search = "" } = await json();
    const folder = String(prefix).replace(/^\/+|\/+$/g, "");
    const inside = filesUnder(bucket, folder).map(([path, stored]) => ({
      rest: path.slice(folder === "" ? 0 : folder.length + 1),
      stored,
    }));
    const deeper = inside.filter(({ rest }) => rest.includes("/")).map(({ rest }) => rest.split("/")[0] ?? "");
    const rows = [
      ...[...new Set(deeper)].toSorted().map((name) => ({ id: null, name, bucket_id: bucket, metadata: null })),
      ...inside
        .filter(({ rest }) => !rest.includes("/") && rest !== marker)
        .map(({ rest, stored }) => infoOf(bucket, rest, stored)),
    ].filter(({ name }) => name.includes(String(search)));
    return { body: rows.slice(Number(offset), Number(offset) + Number(limit)) };
  };

  const upload: Route = async ([bucket = "", path = ""], { headers, userId, bytes }) => {
    const size = Number(headers["content-length"] ?? 0);
    const old = bucketOf(bucket).get(path);
    if (old !== undefined && headers["x-upsert"] !== "true") throw storageError(400, "resource_already_exists");
    if (size > maxBytes) throw storageError(413, "payload_too_large", { use_multipart: true });
    files.reserve(userId, Math.max(0, size - (old?.bytes.length ?? 0)));
    const body = await bytes();
    const { id } = files.put(bucket, path, body, headers["content-type"] ?? "application/octet-stream", userId);
    return { body: { Id: id, Key: `${bucket}/${path}` }, headers: { ETag: etagOf(body), "X-Object-Version": id } };
  };

  const move: Route = async (_, { headers, json }) => {
    const { bucketId = "", sourceKey = "", destinationKey = "" } = (await json()) as Record<string, string>;
    const object = files.object(bucketId, sourceKey);
    const bucket = bucketOf(bucketId);
    if (bucket.has(destinationKey) && headers["x-upsert"] !== "true")
      throw storageError(400, "resource_already_exists");
    bucket.delete(sourceKey);
    bucket.set(destinationKey, object);
    return { body: { message: "moved" } };
  };

  const folderStats: Route = ([bucket], { query }) => {
    const prefix = query.get("prefix") ?? "";
    const matches = filesUnder(bucket, prefix);
    const placeholders = matches.filter(([path]) => path.endsWith(marker)).length;
    const total = matches.reduce((sum, [, { bytes }]) => sum + bytes.length, 0);
    const counts = { object_count: matches.length, file_count: matches.length - placeholders };
    return { body: { prefix, ...counts, placeholder_count: placeholders, total_bytes: total } };
  };

  const removeFolder: Route = async ([bucket], { json }) => {
    const prefix = String((await json()).prefix ?? "");
    if (prefix === "") throw storageError(400, "invalid_prefix");
    const deleted = filesUnder(bucket, prefix).map(([path]) => path);
    for (const path of deleted) bucketOf(bucket).delete(path);
    return { body: { prefix, deleted, count: deleted.length, complete: true } };
  };

  const remove: Route = async ([bucket], { json }) => {
    const { paths } = (await json()) as { paths: string[] };
    return { body: paths.filter((path) => bucketOf(bucket).delete(path)).map((name) => ({ name })) };
  };

  const download: Route = ([bucket, path]) => {
    const { bytes, type } = files.object(bucket, path);
    return { body: bytes, headers: { "Content-Type": type, ETag: etagOf(bytes) } };
  };

  const quota: Route = (_, { userId }) => ({
    body: {
      company_id: 1,
      company: files.quotaOf("company", userId),
      user: { user_id: userId, ...files.quotaOf("user", userId) },
    },
  });

  return [
    ["GET", /^bucket$/, () => ({ body: files.names().map((name) => ({ id: name, name, public: false })) })],
    ["GET", /^quota$/, quota],
    ["POST", /^object\/list\/([^/]+)$/, list],
    ["POST", /^object\/move$/, move],
    ["GET", /^object\/prefix\/([^/]+)$/, folderStats],
    ["DELETE", /^object\/prefix\/([^/]+)$/, removeFolder],
    [
      "GET",
      /^object\/info\/([^/]+)\/(.+)$/,
      ([bucket = "", path = ""]) => ({ body: infoOf(bucket, path, files.object(bucket, path)) }),
    ],
    ["GET", /^object\/([^/]+)\/(.+)$/, download],
    ["POST", /^object\/([^/]+)\/(.+)$/, upload],
    ["DELETE", /^object\/([^/]+)$/, remove],
  ];
}
