import {
  bucketChangeBody,
  bucketChangedSchema,
  bucketCreatedSchema,
  bucketListSchema,
  bucketNameParams,
  bucketSchema,
  COMPANY_BUCKET,
  emptiedSchema,
  messageSchema,
  newBucketBody,
} from "../../../schemas/storage/buckets";
import { bodyOf } from "../../kit/http/call";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { invalid } from "../../kit/problem";
import { findBucket, openBucket, readBuckets, toBucketLookup } from "../buckets/bucket";
import { presentBucket } from "../buckets/bucket.present";
import type { StorageService } from "../http";
import { Problem } from "../problem";
import { removeBelow } from "../removal/removal";
import { auditEmptying, createBucket, removeBucket, updateBucket } from "./bucket-change";

const path = "/storage/v1/bucket";
const tags = ["Buckets"];

/** The declarations that all routes of one bucket share: its name and its row. */
const bucketOperation = {
  tags,
  params: bucketNameParams,
  input: ({ params }: { params: Record<string, string> }) => params.name ?? "",
  reads: ({ companyId, input }: { companyId: number; input: string }) => ({
    bucket: findBucket({ companyId, name: input }),
  }),
  missingCode: "bucket_not_found",
} as const;

type BucketRowOrNull = Parameters<typeof toBucketLookup>[1];
const rowOf = ({ input, results }: { input: string; results: { bucket: { first: BucketRowOrNull } } }) =>
  toBucketLookup(input, results.bucket.first);

/** Returns the row to change. Throws 403 `bucket_immutable` for the bucket `company`. */
const requireCustomBucket = ({
  input,
  results,
}: {
  input: string;
  results: { bucket: { first: BucketRowOrNull } };
}) => {
  if (input === COMPANY_BUCKET) throw new Problem("bucket_immutable");
  return results.bucket.first;
};

/** Mounts the bucket routes. */
export function mountBuckets({ call }: StorageService): void {
  call(
    {
      method: "get",
      path,
      tags,
      summary: "List buckets",
      description: "By name. The first call of a company makes its bucket `company`.",
      role: "member",
      responses: { 200: jsonResponse(bucketListSchema, "All buckets of the company") },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller }) => c.json((await readBuckets(services, scope, caller)).map(presentBucket)),
  );
  call(
    {
      method: "post",
      path,
      tags,
      summary: "Create a bucket",
      description: "A company has at most 100. `id` is an alias of `name`.",
      role: "owner",
      body: {
        schema: newBucketBody,
        read: (raw) => {
          const { name, id, ...fields } = parse(newBucketBody, raw);
          const bucketName = name ?? id;
          if (bucketName === undefined) throw invalid({ name: ["required"] });
          if (id !== undefined && id !== bucketName) throw invalid({ id: ["mismatch"] });
          return { name: bucketName, ...fields };
        },
      },
      responses: { 200: jsonResponse(bucketCreatedSchema, "The name of the bucket") },
      errorCodes: ["bucket_name_taken", "bucket_limit_reached", "not_found"],
    },
    async ({ c, services, scope, caller, body }) => {
      const { name, display_name = name, file_size_limit = null, allowed_mime_types = null } = body;
      await createBucket(services, scope, caller, { name, display_name, file_size_limit, allowed_mime_types });
      return c.json({ name });
    },
  );
  call(
    {
      ...bucketOperation,
      method: "get",
      path: `${path}/{name}`,
      summary: "Read a bucket",
      role: "member",
      row: rowOf,
      responses: { 200: jsonResponse(bucketSchema, "The bucket") },
    },
    async ({ c, services, scope, caller, row }) =>
      c.json(presentBucket(await openBucket(services, scope, caller, row))),
  );
  call(
    {
      ...bucketOperation,
      method: "put",
      path: `${path}/{name}`,
      summary: "Change a bucket",
      description: "Omitted fields keep their values. Objects that are already stored are not checked again.",
      role: "owner",
      row: requireCustomBucket,
      body: {
        ...bodyOf(bucketChangeBody),
        read: (raw, { row }) => {
          const { name, id, ...change } = parse(bucketChangeBody, raw);
          if ((name ?? row.name) !== row.name) throw invalid({ name: ["immutable"] });
          if ((id ?? row.name) !== row.name) throw invalid({ id: ["immutable"] });
          return change;
        },
      },
      responses: { 200: jsonResponse(bucketChangedSchema, "The bucket") },
      errorCodes: ["bucket_immutable"],
    },
    async ({ c, services, caller, row, body }) =>
      c.json({ ...presentBucket(await updateBucket(services, caller, row, body)), message: "Successfully updated" }),
  );
  call(
    {
      ...bucketOperation,
      method: "delete",
      path: `${path}/{name}`,
      summary: "Delete an empty bucket",
      role: "owner",
      row: requireCustomBucket,
      responses: { 200: jsonResponse(messageSchema, "Deleted") },
      errorCodes: ["bucket_immutable", "bucket_not_empty"],
    },
    async ({ c, services, caller, row }) => {
      await removeBucket(services, caller, row);
      return c.json({ message: "Successfully deleted" });
    },
  );
  call(
    {
      ...bucketOperation,
      method: "post",
      path: `${path}/{name}/empty`,
      summary: "Delete all objects of a bucket",
      description: "Deletes objects until none is left or 20 seconds have passed. `complete` is true if none is left.",
      role: "owner",
      row: rowOf,
      responses: { 200: jsonResponse(emptiedSchema, "The number of deleted objects") },
    },
    async ({ c, services, scope, caller, row }) => {
      const bucket = await openBucket(services, scope, caller, row);
      await auditEmptying(services, caller, bucket);
      const emptied = await removeBelow(services, bucket, caller, null);
      return c.json({ ...emptied, message: emptied.complete ? "Successfully emptied" : "Partly emptied" });
    },
  );
}
