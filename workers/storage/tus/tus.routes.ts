import { bytesSchema } from "../../../schemas/bytes";
import { uuidPath } from "../../../schemas/query";
import { storageErrors } from "../../../schemas/storage/errors";
import { tusHeaders, tusOpenHeaders, tusOverrideHeaders, tusPatchHeaders } from "../../../schemas/storage/headers";
import { anyIdParams, resumableStateSchema } from "../../../schemas/storage/uploads";
import { asMember, type Member } from "../../kit/auth/member";
import { builtSchema, jsonResponse, media, problemResponses } from "../../kit/http/openapi/responses";
import { uuidOf } from "../../kit/http/request/path-id";
import { Problem as AnyProblem } from "../../kit/problem";
import type { StorageContext, StorageService } from "../http";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { awaitUpload, readResumable } from "./lease";
import type { Received } from "./receive";
import {
  BYTES_TYPE,
  createUpload,
  patchUpload,
  TUS_ALGORITHMS,
  TUS_EXTENSIONS,
  TUS_VERSION,
  terminateUpload,
} from "./tus";
import { presentResumable, uploadHeaders } from "./tus.present";

const tags = ["Resumable uploads (TUS 1.0)"];
const security = [{ bearerAuth: [] }];
const path = "/storage/v1/upload/resumable";
const byId = `${path}/{id}`;

type Code = keyof typeof storageErrors;
const refusals = (...codes: Code[]) => problemResponses(storageErrors, codes);
const mutation = ["unauthorized", "forbidden", "pat_read_only", "tus_version_not_supported"] as const;
const bytes = { content: { [BYTES_TYPE]: media(bytesSchema) }, required: false };
const received = [
  ...(["validation_failed", "resource_already_exists", "size_mismatch", "incomplete_body"] as const),
  ...(["precondition_failed", "payload_too_large", "company_quota_exceeded", "user_quota_exceeded"] as const),
  ...(["upload_checksum_mismatch", "concurrent_modification", "storage_error"] as const),
];

/** Mounts the routes of resumable uploads. */
export function mountTus({ route }: StorageService): void {
  for (const optionsPath of [path, byId]) {
    route(
      {
        method: "options",
        path: optionsPath,
        tags,
        summary: "Read the supported TUS features",
        describe: () => ({
          ...(optionsPath === byId ? { request: { params: builtSchema(anyIdParams) } } : {}),
          responses: { 204: { description: "`Tus-Version`, `Tus-Extension`, `Tus-Max-Size`" } },
        }),
      },
      presentCapabilities,
    );
  }
  route(
    {
      method: "post",
      path,
      tags,
      security,
      summary: "Open a resumable upload",
      description:
        "`Upload-Length` or `Upload-Defer-Length: 1`; `Upload-Metadata` with bucketName, objectName and, optionally, " +
        "contentType, cacheControl and metadata (a JSON object). Replaces an object only with `x-upsert: true`. The only supported condition is `If-None-Match: *`.",
      describe: () => ({
        request: { headers: builtSchema(tusOpenHeaders), body: bytes },
        responses: {
          201: { description: "`Location` of the upload" },
          ...refusals(...mutation, "not_found", "bucket_not_found", "invalid_mime_type", ...received),
        },
      }),
    },
    (c) => withVersion(c, () => create(c)),
  );
  route(
    {
      method: "get",
      path: byId,
      tags,
      security,
      summary: "Read the offset of a resumable upload",
      description: "HEAD returns `Upload-Offset` and `Upload-Length` as TUS defines; GET also returns JSON.",
      describe: () => ({
        request: { params: builtSchema(uuidPath) },
        responses: {
          200: jsonResponse(resumableStateSchema, "The state of the upload"),
          ...refusals("unauthorized", "forbidden", "upload_not_found", "tus_version_not_supported"),
        },
      }),
    },
    (c) => withVersion(c, () => show(c)),
  );
  route(
    {
      method: "patch",
      path: byId,
      tags,
      security,
      summary: "Add to a resumable upload",
      description: "If the connection is cut, the received bytes are kept.",
      describe: () => ({
        request: {
          params: builtSchema(uuidPath),
          headers: builtSchema(tusPatchHeaders),
          body: { ...bytes, required: true },
        },
        responses: {
          204: { description: "`Upload-Offset` is the new offset" },
          ...refusals(
            ...mutation,
            "upload_not_found",
            "upload_offset_mismatch",
            "upload_locked",
            "unsupported_media_type",
            ...received,
          ),
        },
      }),
    },
    (c) => withVersion(c, () => patch(c)),
  );
  route(
    {
      method: "delete",
      path: byId,
      tags,
      security,
      summary: "Abort a resumable upload",
      describe: () => ({
        request: { params: builtSchema(uuidPath), headers: builtSchema(tusHeaders) },
        responses: {
          204: { description: "Its reserved bytes are released" },
          ...refusals(...mutation, "upload_not_found"),
        },
      }),
    },
    (c) => withVersion(c, () => terminate(c)),
  );
  route(
    {
      method: "post",
      path: byId,
      tags,
      security,
      summary: "PATCH or DELETE for clients that can only POST",
      description: "By `X-HTTP-Method-Override`.",
      describe: () => ({
        request: { params: builtSchema(uuidPath), headers: builtSchema(tusOverrideHeaders), body: bytes },
        responses: {
          204: { description: "The response of the overriding method" },
          ...refusals(
            ...mutation,
            "method_not_allowed",
            "upload_not_found",
            "upload_offset_mismatch",
            "upload_locked",
            "unsupported_media_type",
            ...received,
          ),
        },
      }),
    },
    (c) =>
      withVersion(c, async () => {
        const method = c.req.header("x-http-method-override")?.toUpperCase();
        if (method === "PATCH") return patch(c);
        if (method === "DELETE") return terminate(c);
        throw new Problem("method_not_allowed", { headers: { allow: "DELETE, GET, HEAD, OPTIONS, PATCH" } });
      }),
  );
}

function presentCapabilities(c: StorageContext): Response {
  return c.body(null, 204, {
    "tus-resumable": TUS_VERSION,
    "tus-version": TUS_VERSION,
    "tus-extension": TUS_EXTENSIONS,
    "tus-checksum-algorithm": TUS_ALGORITHMS,
    "tus-max-size": String(c.get("services").settings.uploads.maxBytes),
  });
}

/**
 * Adds the TUS version to responses and errors. Throws 412 for a request with another version, except for GET, which is not
 * part of TUS.
 */
async function withVersion(c: StorageContext, handle: () => Promise<Response>): Promise<Response> {
  const headers = { "tus-resumable": TUS_VERSION };
  try {
    if (c.req.raw.method !== "GET" && c.req.header("tus-resumable") !== TUS_VERSION) {
      throw new Problem("tus_version_not_supported", { headers: { "tus-version": TUS_VERSION } });
    }
    const response = await handle();
    response.headers.set("tus-resumable", TUS_VERSION);
    return response;
  } catch (error) {
    if (!(error instanceof AnyProblem)) throw error;
    const { code, options } = error;
    throw new AnyProblem<string>(code, { ...options, headers: { ...options.headers, ...headers } });
  }
}

type UploadCall = { services: StorageServices; member: Member; id: string };

/** Runs a request about the upload in the path. Throws 404 for a malformed id. */
function withUpload(c: StorageContext, work: (call: UploadCall) => Promise<Response>): Promise<Response> {
  const services = c.get("services");
  return asMember(services, c.req.raw, async (member) => {
    const id = uuidOf(c.req.param("id"));
    if (id === null) throw new Problem("upload_not_found");
    return work({ services, member, id });
  });
}

/** Keeps storing the received bytes when the client disconnects. */
function continueAfterDisconnect<T>(c: StorageContext, work: Promise<T>): Promise<T> {
  c.get("services").waitUntil(work.catch(() => null));
  return work;
}

const headersOf = ({ upload, offset, finished }: Received) => ({
  ...uploadHeaders(upload, offset),
  ...(finished === null ? {} : { etag: `"${finished.etag}"`, "x-object-version": String(finished.version) }),
});

async function create(c: StorageContext): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  const received = await asMember(services, request, (member) =>
    continueAfterDisconnect(c, createUpload(services, member, request)),
  );
  // A relative location works behind any path prefix of a proxy.
  const location = `${new URL(request.url).pathname.endsWith("/") ? "" : "resumable/"}${received.upload.id}`;
  return c.body(null, 201, { ...headersOf(received), location });
}

function patch(c: StorageContext): Promise<Response> {
  return withUpload(c, async ({ services, member, id }) => {
    return c.body(null, 204, headersOf(await continueAfterDisconnect(c, patchUpload(services, member, id, c.req.raw))));
  });
}

function show(c: StorageContext): Promise<Response> {
  return withUpload(c, async ({ services, member, id }) => {
    const read = c.req.raw.method === "HEAD" ? awaitUpload : readResumable;
    const upload = await read(services, member, id);
    const length = upload.size === null ? { "upload-defer-length": "1" } : { "upload-length": String(upload.size) };
    const metadataHeader = upload.told_metadata === null ? {} : { "upload-metadata": upload.told_metadata };
    const headers = {
      ...uploadHeaders(upload, upload.received),
      ...length,
      ...metadataHeader,
      "cache-control": "no-store",
    };
    return c.json(presentResumable(upload), 200, headers);
  });
}

function terminate(c: StorageContext): Promise<Response> {
  return withUpload(c, async ({ services, member, id }) => {
    await terminateUpload(services, member, id);
    return c.body(null, 204);
  });
}
