import { bytesSchema } from "../../../schemas/bytes";
import { storageErrors } from "../../../schemas/storage/errors";
import { uploadHeaders } from "../../../schemas/storage/headers";
import { objectParams, uploadedSchema, uploadFormSchema } from "../../../schemas/storage/objects";
import { asMember, type Member } from "../../kit/auth/member";
import { builtSchema, jsonResponse, media, problemResponses } from "../../kit/http/openapi/responses";
import type { StorageContext, StorageService } from "../http";
import { readUrlPath } from "../objects/path";
import { uploadObject } from "./single-upload";

const path = "/storage/v1/object/{bucket}/{path...}";

const describe = () => ({
  request: {
    params: builtSchema(objectParams),
    headers: builtSchema(uploadHeaders),
    body: {
      content: { "application/octet-stream": media(bytesSchema), "multipart/form-data": media(uploadFormSchema) },
    },
  },
  responses: {
    200: jsonResponse(uploadedSchema, "The object, with the `ETag` and `X-Object-Version` of this version"),
    ...problemResponses(storageErrors, [
      "validation_failed",
      "resource_already_exists",
      "incomplete_body",
      "checksum_mismatch",
      "unauthorized",
      "forbidden",
      "pat_read_only",
      "not_found",
      "bucket_not_found",
      "concurrent_modification",
      "precondition_failed",
      "payload_too_large",
      "company_quota_exceeded",
      "user_quota_exceeded",
      "invalid_mime_type",
      "storage_error",
      "service_unavailable",
    ]),
  },
});

/** Mounts the routes that upload an object in one request. */
export function mountUploads(service: StorageService): void {
  const tags = ["Objects"];
  const security = [{ bearerAuth: [] }];
  service.route(
    {
      method: "post",
      path,
      tags,
      security,
      summary: "Upload an object",
      description:
        "The body is the object, or a form whose last part is the file. Replaces an object only with `x-upsert: true`. " +
        "`x-metadata` (JSON or its base64), `cache-control`, `Content-MD5`, `x-checksum-sha256`, `If-Match`, " +
        "`If-None-Match` and `Idempotency-Key` are supported.",
      describe,
    },
    (c) => upload(c, c.req.header("x-upsert")?.toLowerCase() === "true"),
  );
  service.route({ method: "put", path, tags, security, summary: "Upload or replace an object", describe }, (c) =>
    upload(c, true),
  );
}

function upload(c: StorageContext, isUpsert: boolean): Promise<Response> {
  return asMember(c.get("services"), c.req.raw, (member) => store(c, member, isUpsert));
}

async function store(c: StorageContext, member: Member, isUpsert: boolean): Promise<Response> {
  const services = c.get("services");
  const request = c.req.raw;
  const target = { ...member, bucket: c.req.param("bucket") ?? "", path: readUrlPath(request, 4) };
  const { object, isReplay } = await uploadObject(services, request, target, isUpsert);
  const headers = {
    etag: `"${object.etag}"`,
    "x-object-version": String(object.version),
    ...(isReplay ? { "idempotent-replay": "true" } : {}),
  };
  return c.json({ Id: object.id, Key: `${target.bucket}/${object.name}` }, 200, headers);
}
