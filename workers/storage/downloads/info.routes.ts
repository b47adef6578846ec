import { objectIdParams, objectInfoSchema, objectLocationSchema, objectParams } from "../../../schemas/storage/objects";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { uuidOf } from "../../kit/http/request/path-id";
import type { StorageService } from "../http";
import { findBucketAndObject, findObjectById, objectOf } from "../objects/object";
import { presentObjectInfo } from "../objects/object.present";
import { basenameOf, readUrlPath } from "../objects/path";

const nil = "00000000-0000-0000-0000-000000000000";

/** Mounts the routes that return the metadata of an object. */
export function mountInfo({ call }: StorageService): void {
  const tags = ["Objects"];
  call(
    {
      method: "get",
      path: "/storage/v1/object/id/{id}",
      tags,
      summary: "Find an object by its id",
      role: "member",
      params: objectIdParams,
      input: ({ params }) => uuidOf(params.id),
      reads: ({ companyId, input }) => ({ object: findObjectById({ companyId, id: input ?? nil }) }),
      row: ({ results }) => results.object.first,
      missingCode: "object_not_found",
      responses: { 200: jsonResponse(objectLocationSchema, "The bucket and path of the object") },
    },
    ({ c, row: { id, bucket, name } }) =>
      c.json({ id, bucket, path: name, name: basenameOf(name), type: "file" as const }),
  );
  for (const [path, segments] of [
    ["/storage/v1/object/info/authenticated/{bucket}/{path...}", 6],
    ["/storage/v1/object/info/{bucket}/{path...}", 5],
  ] as const) {
    call(
      {
        method: "get",
        path,
        tags,
        summary: "Read the metadata of an object",
        role: "member",
        params: objectParams,
        input: ({ params, request }) => ({ bucket: params.bucket ?? "", path: readUrlPath(request, segments) }),
        reads: ({ companyId, input: { bucket, path: name } }) => ({
          bucketAndObject: findBucketAndObject({ companyId, bucket, name }),
        }),
        row: ({ input, results }) => objectOf(input.bucket, results.bucketAndObject.first),
        missingCode: "object_not_found",
        responses: { 200: jsonResponse(objectInfoSchema, "The object") },
        errorCodes: ["bucket_not_found"],
      },
      ({ c, input, row }) => c.json(presentObjectInfo(row, input.bucket)),
    );
  }
}
