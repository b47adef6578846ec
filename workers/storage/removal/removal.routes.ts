import {
  bucketParams,
  deletedSchema,
  objectParams,
  removalBody,
  removedSchema,
} from "../../../schemas/storage/objects";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { findBucket, storedBucket, toBucketLookup } from "../buckets/bucket";
import type { StorageService } from "../http";
import { readPath, readUrlPath } from "../objects/path";
import { Problem } from "../problem";
import { removeObject, removeObjects } from "./removal";

/** Enough for 1,000 paths of 1,024 bytes with JSON escapes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Mounts the routes that delete one or several objects. */
export function mountRemovals({ call }: StorageService): void {
  const tags = ["Objects"];
  call(
    {
      method: "delete",
      path: "/storage/v1/object/{bucket}",
      tags,
      summary: "Delete objects",
      description: "At most 1,000 paths; a bare array of paths is accepted too. Missing objects are skipped.",
      role: "member",
      isCounted: false,
      params: bucketParams,
      input: ({ params }) => params.bucket ?? "",
      reads: ({ companyId, input }) => ({ bucket: findBucket({ companyId, name: input }) }),
      row: ({ input, results }) => toBucketLookup(input, results.bucket.first),
      missingCode: "bucket_not_found",
      body: {
        schema: removalBody,
        limit: MAX_BODY_BYTES,
        listAs: "paths",
        read: (raw) => {
          const { prefixes, paths } = parse(removalBody, raw);
          const inputPaths = prefixes ?? paths;
          if (inputPaths === undefined)
            throw new Problem("validation_failed", { field_errors: { prefixes: ["required"] } });
          const field = prefixes === undefined ? "paths" : "prefixes";
          return [...new Set(inputPaths.map((path, index) => readPath(path, `${field}.${index}`)))];
        },
      },
      responses: { 200: jsonResponse(removedSchema, "The deleted objects") },
    },
    async ({ c, services, row, body, caller }) => {
      const removed = await removeObjects(services, storedBucket(row), caller, body);
      return c.json(removed.map((name) => ({ name })));
    },
  );
  call(
    {
      method: "delete",
      path: "/storage/v1/object/{bucket}/{path...}",
      tags,
      summary: "Delete an object",
      description: "With `If-Match`, deletes only a version that it lists.",
      role: "member",
      isCounted: false,
      params: objectParams,
      input: ({ params }) => params.bucket ?? "",
      reads: ({ companyId, input }) => ({ bucket: findBucket({ companyId, name: input }) }),
      row: ({ input, results }) => toBucketLookup(input, results.bucket.first),
      missingCode: "bucket_not_found",
      responses: { 200: jsonResponse(deletedSchema, "Deleted") },
      errorCodes: ["object_not_found", "precondition_failed", "validation_failed"],
    },
    async ({ c, services, request, row, caller }) => {
      const ifMatch = request.headers.get("if-match");
      await removeObject(services, storedBucket(row), caller, { path: readUrlPath(request, 4), ifMatch });
      return c.json(true);
    },
  );
}
