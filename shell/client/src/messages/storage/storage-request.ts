import type { StorageOperation } from "../../../../../schemas/shell/messages.ts";
import { type Fields, readText } from "../read.ts";

/** A request to the storage service. */
export type StorageCall = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  json?: object;
  body?: Blob;
  headers?: Record<string, string>;
  /** how the response is read */
  responseType: "json" | "blob";
};

const MAX_PATH = 1024;

/** Encodes a path inside a bucket for a URL. Returns undefined if the path is empty or contains `..`. */
function encodePath(value: unknown): string | undefined {
  const path = readText(value, MAX_PATH);
  const segments = path?.split("/").filter((segment) => segment !== "" && segment !== ".") ?? [];
  if (segments.length === 0 || segments.includes("..")) return undefined;
  return segments.map(encodeURIComponent).join("/");
}

const bucketOf = ({ bucket }: Fields) =>
  typeof bucket === "string" && /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket) ? bucket : undefined;

const listKeys = ["limit", "offset", "cursor", "search", "sortBy"] as const;

/** Returns the bytes of a message as a Blob. */
function bytesOf({ body, contentType }: Fields): Blob | undefined {
  const type = readText(contentType, 255);
  if (body instanceof Blob) return type === undefined ? body : new Blob([body], { type });
  if (typeof body !== "string" && !(body instanceof ArrayBuffer)) return undefined;
  return new Blob([body], { type: type ?? (typeof body === "string" ? "text/plain" : "application/octet-stream") });
}

type Reader = (bucket: string, fields: Fields) => StorageCall | undefined;

const inBucket: Record<Exclude<StorageOperation, "listBuckets">, Reader> = {
  list(bucket, fields) {
    const { prefix = "" } = fields;
    if (typeof prefix !== "string" || prefix.length > MAX_PATH) return undefined;
    const options = Object.fromEntries(
      listKeys.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]),
    );
    return { method: "POST", path: `object/list/${bucket}`, json: { prefix, ...options }, responseType: "json" };
  },
  upload(bucket, fields) {
    const path = encodePath(fields.path);
    const body = bytesOf(fields);
    if (path === undefined || body === undefined) return undefined;
    const headers = fields.upsert === true ? { "x-upsert": "true" } : {};
    return { method: "POST", path: `object/${bucket}/${path}`, body, headers, responseType: "json" };
  },
  download(bucket, fields) {
    const path = encodePath(fields.path);
    return path === undefined ? undefined : { method: "GET", path: `object/${bucket}/${path}`, responseType: "blob" };
  },
  get(bucket, fields) {
    const path = encodePath(fields.path);
    return path === undefined
      ? undefined
      : { method: "GET", path: `object/info/${bucket}/${path}`, responseType: "json" };
  },
  move(bucket, fields) {
    const [from, to] = [readText(fields.from, MAX_PATH), readText(fields.to, MAX_PATH)];
    if (from === undefined || to === undefined) return undefined;
    const json = { bucketId: bucket, sourceKey: from, destinationKey: to };
    const headers = fields.upsert === true ? { "x-upsert": "true" } : {};
    return { method: "POST", path: "object/move", json, headers, responseType: "json" };
  },
  remove(bucket, { paths }) {
    if (!Array.isArray(paths) || paths.length === 0 || paths.length > 1000) return undefined;
    if (!paths.every((path) => readText(path, MAX_PATH) !== undefined)) return undefined;
    return { method: "DELETE", path: `object/${bucket}`, json: { paths }, responseType: "json" };
  },
  createFolder(bucket, fields) {
    const path = encodePath(fields.path);
    const marker = `object/${bucket}/${path}/.emptyFolderPlaceholder`;
    return path === undefined ? undefined : { method: "POST", path: marker, body: new Blob([]), responseType: "json" };
  },
  removeFolder(bucket, fields) {
    const prefix = readText(fields.path, MAX_PATH);
    if (prefix === undefined || encodePath(prefix) === undefined) return undefined;
    return { method: "DELETE", path: `object/prefix/${bucket}`, json: { prefix }, responseType: "json" };
  },
  folderStats(bucket, fields) {
    const { path = "" } = fields;
    if (typeof path !== "string" || path.length > MAX_PATH) return undefined;
    return { method: "GET", path: `object/prefix/${bucket}?prefix=${encodeURIComponent(path)}`, responseType: "json" };
  },
};

/** Returns the request for an operation, or undefined when its fields are invalid. */
export function readStorageCall(fields: Fields): StorageCall | undefined {
  const { op } = fields;
  if (op === "listBuckets") return { method: "GET", path: "bucket", responseType: "json" };
  const bucket = bucketOf(fields);
  if (bucket === undefined || typeof op !== "string" || !Object.hasOwn(inBucket, op)) return undefined;
  return inBucket[op as keyof typeof inBucket](bucket, fields);
}
