import { storageErrors } from "../../../schemas/storage/errors";
import { signBody, signedManySchema, signedQuery, signedSchema, signManyBody } from "../../../schemas/storage/links";
import { bucketParams, objectParams } from "../../../schemas/storage/objects";
import { bodyOf } from "../../kit/http/call";
import { builtSchema, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { findBucket, storedBucket, toBucketLookup } from "../buckets/bucket";
import { serveObject } from "../downloads/download";
import { downloadResponses } from "../downloads/download-responses";
import type { StorageService } from "../http";
import { findBucketAndObject, objectOf, readObject } from "../objects/object";
import { rawUrlPath, readUrlPath } from "../objects/path";
import { Problem } from "../problem";
import { openSignedUrl, readAsSigner, readLifetime, signUrl, signUrls } from "./signed-url";

const path = "/storage/v1/object/sign/{bucket}/{path...}";

/** Number of URL segments before the path in the bucket. */
const SEGMENTS = 5;

/** Enough for 1,000 paths of 1,024 bytes with JSON escapes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Mounts the routes that create and open signed URLs. */
export function mountSignedUrls(service: StorageService): void {
  const { call } = service;
  const tags = ["Signed URLs"];
  call(
    {
      method: "post",
      path,
      tags,
      summary: "Sign the URL of an object",
      description: "`expiresIn` is in seconds. Anyone with the URL can download the object until then.",
      role: "member",
      isCounted: false,
      params: objectParams,
      input: ({ params, request }) => ({ bucket: params.bucket ?? "", path: readUrlPath(request, SEGMENTS) }),
      reads: ({ companyId, input: { bucket, path: name } }) => ({
        object: findBucketAndObject({ companyId, bucket, name }),
      }),
      row: ({ input, results }) => objectOf(input.bucket, results.object.first),
      missingCode: "object_not_found",
      body: bodyOf(signBody, { optional: true }),
      responses: { 200: jsonResponse(signedSchema, "The URL") },
      errorCodes: ["bucket_not_found"],
    },
    async ({ c, services, request, caller, input, row, body }) => {
      const options = {
        lifeMs: readLifetime(services, body.expiresIn),
        origin: new URL(request.url).origin,
        userId: caller.userId,
      };
      const address = { companyId: row.company_id, bucket: input.bucket, path: row.name };
      return c.json(await signUrl(services, address, options));
    },
  );
  call(
    {
      method: "post",
      path: "/storage/v1/object/sign/{bucket}",
      tags,
      summary: "Sign the URLs of several objects",
      description:
        "At most 1,000 paths; results are in their order. A path without an object has an `error` and no URL.",
      role: "member",
      isCounted: false,
      params: bucketParams,
      input: ({ params }) => params.bucket ?? "",
      reads: ({ companyId, input }) => ({ bucket: findBucket({ companyId, name: input }) }),
      row: ({ input, results }) => toBucketLookup(input, results.bucket.first),
      missingCode: "bucket_not_found",
      body: bodyOf(signManyBody, { limit: MAX_BODY_BYTES }),
      responses: { 200: jsonResponse(signedManySchema, "The URLs") },
    },
    async ({ c, services, request, caller, row, body }) => {
      const options = {
        lifeMs: readLifetime(services, body.expiresIn),
        origin: new URL(request.url).origin,
        userId: caller.userId,
      };
      return c.json(await signUrls(services, storedBucket(row), body.paths, options));
    },
  );
  service.route(
    {
      method: "post",
      path: "/storage/v1/object/upload/sign/{bucket}/{path...}",
      tags,
      summary: "Not supported: signed URLs for uploads",
      describe: () => ({
        request: { params: builtSchema(objectParams) },
        responses: problemResponses(storageErrors, ["signed_upload_disabled", "not_found"]),
      }),
    },
    () => {
      throw new Problem("signed_upload_disabled");
    },
  );
  service.route(
    {
      method: "get",
      path,
      tags,
      summary: "Download an object with a signed URL",
      description:
        "Needs no bearer. `download`, `Range`, `If-Range` and conditional headers work as in other downloads.",
      describe: () => ({
        request: { params: builtSchema(objectParams), query: builtSchema(signedQuery) },
        responses: {
          ...downloadResponses,
          ...problemResponses(storageErrors, [
            "signed_url_invalid",
            "signed_url_expired",
            "bucket_not_found",
            "object_not_found",
            "range_not_satisfiable",
            "storage_error",
            "service_unavailable",
            "validation_failed",
          ]),
        },
      }),
    },
    async (c) => {
      const services = c.get("services");
      const request = c.req.raw;
      const grant = await openSignedUrl(services, {
        bucket: c.req.param("bucket") ?? "",
        rawPath: rawUrlPath(request, SEGMENTS),
        token: c.req.query("token") ?? "",
      });
      const object = await readAsSigner(services, grant, readObject(services, grant));
      return serveObject(services, request, object, c.req.query("download") ?? null);
    },
  );
}
