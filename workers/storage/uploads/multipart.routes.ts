import { bytesSchema } from "../../../schemas/bytes";
import { uuidPath } from "../../../schemas/query";
import { storageErrors } from "../../../schemas/storage/errors";
import { overwriteHeaders, partHeaders } from "../../../schemas/storage/headers";
import { objectParams, uploadedSchema } from "../../../schemas/storage/objects";
import {
  partParams,
  partSchema,
  uploadBody,
  uploadOpenedSchema,
  uploadStateSchema,
} from "../../../schemas/storage/uploads";
import { asMember, type Member } from "../../kit/auth/member";
import { builtSchema, jsonBody, jsonResponse, media, problemResponses } from "../../kit/http/openapi/responses";
import { readJson } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { tryParse, unwrap, valueOr } from "../../kit/http/request/parsed";
import { uuidOf } from "../../kit/http/request/path-id";
import type { StorageContext, StorageService } from "../http";
import { readUrlPath } from "../objects/path";
import { Problem } from "../problem";
import { cancelUpload, completeUpload, readUpload, storePart } from "./multipart";
import { openUpload } from "./upload";
import { presentOpened, presentState } from "./upload.present";
import { readCacheControl, readMetadata } from "./upload-headers";
import { canReplaceLater, loadUploadTarget, preconditionCheck } from "./upload-target";

const tags = ["Uploads in parts"];
const security = [{ bearerAuth: [] }];
const byId = "/storage/v1/upload/{id}";

type Code = keyof typeof storageErrors;
const refusals = (...codes: Code[]) => problemResponses(storageErrors, ["unauthorized", "forbidden", ...codes]);

/** Mounts the routes of uploads in parts. */
export function mountMultipart({ route }: StorageService): void {
  route(
    {
      method: "post",
      path: `${byId}/complete`,
      tags,
      security,
      summary: "Complete a multipart upload",
      description:
        "A repeat returns the result of the first call. Replaces an object only with `x-upsert: true`, here or when the upload was opened.",
      describe: () => ({
        request: { params: builtSchema(uuidPath), headers: builtSchema(overwriteHeaders) },
        responses: {
          200: jsonResponse(uploadedSchema, "The object, with the `ETag` and `X-Object-Version` of this version"),
          ...refusals(
            ...(["pat_read_only", "upload_not_found", "upload_incomplete", "size_mismatch"] as const),
            ...(["resource_already_exists", "precondition_failed", "concurrent_modification"] as const),
            ...(["company_quota_exceeded", "user_quota_exceeded", "storage_error"] as const),
          ),
        },
      }),
    },
    completeOrOpen,
  );
  route(
    {
      method: "post",
      path: "/storage/v1/upload/{bucket}/{path...}",
      tags,
      security,
      summary: "Start a multipart upload",
      description:
        "Reserves the size for 24 hours. Replaces an object only with `x-upsert: true`; `If-Match` and `If-None-Match` are supported.",
      describe: () => ({
        request: {
          params: builtSchema(objectParams),
          headers: builtSchema(overwriteHeaders),
          body: jsonBody(uploadBody),
        },
        responses: {
          201: jsonResponse(
            uploadOpenedSchema,
            "The upload. Send all parts; each except the last has `part_size` bytes",
          ),
          ...refusals(
            ...([
              "validation_failed",
              "resource_already_exists",
              "pat_read_only",
              "not_found",
              "bucket_not_found",
            ] as const),
            ...(["precondition_failed", "payload_too_large", "company_quota_exceeded", "user_quota_exceeded"] as const),
            ...(["unsupported_media_type", "invalid_mime_type", "storage_error"] as const),
          ),
        },
      }),
    },
    (c) => open(c, c.req.param("bucket") ?? ""),
  );
  route(
    {
      method: "put",
      path: `${byId}/{part}`,
      tags,
      security,
      summary: "Send a part",
      description:
        "In any order and in parallel; a part that is sent again replaces the earlier one. `Content-MD5` and `x-checksum-sha256` are checked.",
      describe: () => ({
        request: {
          params: builtSchema(partParams),
          headers: builtSchema(partHeaders),
          body: { content: { "*/*": media(bytesSchema) } },
        },
        responses: {
          200: jsonResponse(partSchema, "The part is stored"),
          ...refusals(
            ...([
              "validation_failed",
              "size_mismatch",
              "incomplete_body",
              "checksum_mismatch",
              "pat_read_only",
            ] as const),
            ...(["upload_not_found", "payload_too_large", "storage_error"] as const),
          ),
        },
      }),
    },
    put,
  );
  route(
    {
      method: "get",
      path: byId,
      tags,
      security,
      summary: "Get a multipart upload",
      describe: () => ({
        request: { params: builtSchema(uuidPath) },
        responses: {
          200: jsonResponse(uploadStateSchema, "The state of the upload"),
          ...refusals("upload_not_found"),
        },
      }),
    },
    show,
  );
  route(
    {
      method: "delete",
      path: byId,
      tags,
      security,
      summary: "Abort an upload",
      describe: () => ({
        request: { params: builtSchema(uuidPath) },
        responses: {
          204: { description: "Its reserved bytes are released" },
          ...refusals("pat_read_only", "upload_not_found"),
        },
      }),
    },
    cancel,
  );
}

/** Runs a request about the upload in the path. Throws 404 for a malformed id. */
function withUpload(c: StorageContext, work: (member: Member, id: string) => Promise<Response>): Promise<Response> {
  return asMember(c.get("services"), c.req.raw, async (member) => {
    const id = uuidOf(c.req.param("id"));
    if (id === null) throw new Problem("upload_not_found");
    return work(member, id);
  });
}

/**
 * Completes an upload. If the path segment before `/complete` is not an id, it is a bucket name, and the request opens an
 * upload of the object `complete`.
 */
async function completeOrOpen(c: StorageContext): Promise<Response> {
  return uuidOf(c.req.param("id")) === null ? open(c, c.req.param("id") ?? "") : complete(c);
}

const isUpsert = (c: StorageContext): boolean => c.req.header("x-upsert")?.toLowerCase() === "true";

function open(c: StorageContext, bucket: string): Promise<Response> {
  return asMember(c.get("services"), c.req.raw, (member) => openFor(c, member, bucket));
}

async function openFor(c: StorageContext, member: Member, bucket: string): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  // A missing bucket is reported before an invalid path.
  const path = tryParse(() => readUrlPath(request, 4));
  const address = { ...member, bucket };
  const loadedTarget = await loadUploadTarget(services, { ...address, path: valueOr(path, "") });
  const target = { ...address, path: unwrap(path) };
  const body = parse(uploadBody, await readJson(request));
  const { size } = body;
  const metadata = body.metadata ? readMetadata(JSON.stringify(body.metadata), "metadata") : null;
  const cacheControl = readCacheControl(body.cache_control, "cache_control");
  preconditionCheck(request.headers, isUpsert(c))(loadedTarget.old);
  const upload = await openUpload(services, target, loadedTarget, {
    protocol: "multipart",
    size,
    mimeType: body.mime_type ?? null,
    cacheControl,
    metadata,
    isUpsert: canReplaceLater(request.headers, isUpsert(c)),
    metadataHeader: null,
  });
  return c.json(presentOpened({ ...upload, size }), 201);
}

function put(c: StorageContext): Promise<Response> {
  return withUpload(c, async (member, id) => {
    const text = c.req.param("part") ?? "";
    const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : null;
    const { part, size } = await storePart(c.get("services"), member, { id, part: number }, c.req.raw);
    return c.json({ part, size });
  });
}

function show(c: StorageContext): Promise<Response> {
  return withUpload(c, async (member, id) => {
    const { upload, parts } = await readUpload(c.get("services"), member, id);
    return c.json(presentState(upload, parts));
  });
}

function complete(c: StorageContext): Promise<Response> {
  return withUpload(c, async (member, id) => {
    const options = { headers: c.req.raw.headers, isUpsert: isUpsert(c) };
    const { upload, finished } = await completeUpload(c.get("services"), member, id, options);
    const headers = { etag: `"${finished.etag}"`, "x-object-version": String(finished.version) };
    return c.json({ Id: finished.id, Key: `${upload.bucket_name}/${upload.name}` }, 200, headers);
  });
}

function cancel(c: StorageContext): Promise<Response> {
  return withUpload(c, async (member, id) => {
    await cancelUpload(c.get("services"), member, id);
    return c.body(null, 204);
  });
}
