import {
  prefixQuery,
  prefixRemovalBody,
  prefixRemovedSchema,
  prefixRenameBody,
  prefixRenamedSchema,
  prefixSchema,
} from "../../../schemas/storage/folders";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { openBucket } from "../buckets/bucket";
import type { StorageService } from "../http";
import { readFolder } from "../objects/path";
import { bucketOperation } from "./folder-call";
import { countBelow, removePrefix, renameBelow } from "./prefix";

const path = "/storage/v1/object/prefix/{bucket}";

/** Mounts the routes that count, rename and delete a folder. */
export function mountPrefixes({ call }: StorageService): void {
  call(
    {
      ...bucketOperation,
      method: "get",
      path,
      summary: "Count the objects below a folder",
      query: prefixQuery,
      input: ({ query, params }) => ({ bucket: params.bucket ?? "", prefix: readFolder(query.prefix ?? "") }),
      reads: ({ companyId, input }) => bucketOperation.reads({ companyId, input: input.bucket }),
      row: ({ input, results }) => bucketOperation.row({ input: input.bucket, results }),
      responses: { 200: jsonResponse(prefixSchema, "The number of objects and their bytes") },
    },
    async ({ c, services, scope, caller, row, input }) =>
      c.json(await countBelow(services, await openBucket(services, scope, caller, row), input.prefix)),
  );
  call(
    {
      ...bucketOperation,
      method: "post",
      path,
      summary: "Rename a folder",
      description: "Moves all objects below it, at most 10,000, atomically. No object may be at or below the new path.",
      body: {
        schema: prefixRenameBody,
        read: (raw) => {
          const { from, to } = parse(prefixRenameBody, raw);
          return { from: readFolder(from, "from"), to: readFolder(to, "to") };
        },
      },
      responses: { 200: jsonResponse(prefixRenamedSchema, "The number of moved objects") },
      errorCodes: [
        ...(["invalid_prefix", "invalid_destination", "resource_already_exists"] as const),
        ...(["folder_not_found", "prefix_too_large"] as const),
      ],
    },
    async ({ c, services, scope, caller, row, body }) =>
      c.json(await renameBelow(services, await openBucket(services, scope, caller, row), caller, body)),
  );
  call(
    {
      ...bucketOperation,
      method: "delete",
      path,
      summary: "Delete a folder",
      description: "Deletes objects below the folder until none is left or 20 seconds have passed.",
      body: {
        schema: prefixRemovalBody,
        read: (raw) => readFolder(parse(prefixRemovalBody, raw).prefix),
      },
      responses: { 200: jsonResponse(prefixRemovedSchema, "The number of deleted objects") },
      errorCodes: ["invalid_prefix"],
    },
    async ({ c, services, scope, caller, row, body }) =>
      c.json(await removePrefix(services, await openBucket(services, scope, caller, row), caller, body)),
  );
}
