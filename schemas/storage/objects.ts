import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { cursorShape } from "../query";
import { linePattern } from "../text/text";
import { accessExample, accessSchema, bucketNameText } from "./buckets";

const MAX_PATHS = 1000;
/** Maximum offset of a list. A cursor has no such limit. */
const MAX_OFFSET = 10_000;
/** Maximum length of a path in bytes, and therefore also in characters. */
const MAX_PATH = 1024;

/** A form with a file, for the OpenAPI document. The other fields must precede the file. */
export const uploadFormSchema = lazySchema(() =>
  z
    .object({
      cacheControl: z.string().max(200).optional().meta({ pattern: "^[\\x20-\\x7e]*$" }),
      contentEncoding: z.string().max(100).optional().meta({ pattern: "^([A-Za-z0-9-]+(, ?[A-Za-z0-9-]+)*)?$" }),
      metadata: z.string().optional().meta({ description: "A JSON object, at most 8 KB" }),
      file: z.string().meta({ format: "binary" }),
    })
    .meta({ examples: [{ cacheControl: "3600", metadata: '{"by":"mina"}', file: "hello" }] }),
);

/** The path parameters of a route whose path ends with the path of an object. */
export const objectParams = lazySchema(() =>
  z.object({
    bucket: bucketNameText("company"),
    path: z.string().min(1).max(MAX_PATH).meta({
      pattern: linePattern,
      description: "Path in the bucket; slashes are not escaped",
      example: "reports/2026/résumé.pdf",
    }),
  }),
);

/** The bucket in a path. */
export const bucketParams = lazySchema(() => z.object({ bucket: bucketNameText("company") }));

/** Response of an upload. */
export const uploadedSchema = lazySchema(() =>
  z.object({ Id: z.uuid(), Key: z.string() }).meta({
    id: "Uploaded",
    examples: [{ Id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11", Key: "company/reports/2026.pdf" }],
  }),
);

/** Body of `DELETE object/{bucket}`. `prefixes` and `paths` are two names for the list of object paths. */
export const removalBody = lazySchema(() =>
  z
    .object({
      prefixes: z.array(z.string("invalid"), "invalid").max(MAX_PATHS, "too_many").optional(),
      paths: z.array(z.string("invalid"), "invalid").max(MAX_PATHS, "too_many").optional(),
    })
    .meta({
      id: "Removal",
      anyOf: [
        { type: "object", required: ["prefixes"], properties: { prefixes: { type: "array" } } },
        { type: "object", required: ["paths"], properties: { paths: { type: "array" } } },
      ],
      examples: [{ prefixes: ["reports/2025.pdf"] }],
    }),
);

/** Response of `DELETE object/{bucket}`. */
export const removedSchema = lazySchema(() =>
  z.array(z.object({ name: z.string() })).meta({ id: "Removed", examples: [[{ name: "reports/2025.pdf" }]] }),
);

/** Response of deleting one object. */
export const deletedSchema = lazySchema(() => z.literal(true).meta({ examples: [true] }));

const objectMetadata = () =>
  z.looseObject({
    eTag: z.string(),
    size: z.int(),
    mimetype: z.string(),
    cacheControl: z.string(),
    lastModified: z.iso.datetime(),
    contentLength: z.int(),
    httpStatusCode: z.literal(200),
  });

const objectFields = () => ({
  id: z.uuid(),
  name: z.string(),
  bucket_id: z.string(),
  owner: z.string().describe("Id of the user, as a string"),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  last_accessed_at: z.iso.datetime().nullable(),
  metadata: objectMetadata(),
  access: accessSchema(),
});

const objectExample = {
  id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
  name: "reports/2026.pdf",
  bucket_id: "company",
  owner: "7",
  version: 1,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
  last_accessed_at: null,
  metadata: {
    eTag: '"5d41402abc4b2a76b9719d911017c592"',
    size: 48_213,
    mimetype: "application/pdf",
    cacheControl: "no-cache",
    lastModified: "2026-03-01T09:30:00.000Z",
    contentLength: 48_213,
    httpStatusCode: 200,
  },
  access: accessExample,
};

/** Response of `object/info`: the object with additional fields for storage-js. */
export const objectInfoSchema = lazySchema(() =>
  z
    .object({
      ...objectFields(),
      size: z.int(),
      content_type: z.string(),
      cache_control: z.string(),
      etag: z.string(),
      last_modified: z.iso.datetime(),
    })
    .meta({
      id: "ObjectInfo",
      examples: [
        {
          ...objectExample,
          size: 48_213,
          content_type: "application/pdf",
          cache_control: "no-cache",
          etag: '"5d41402abc4b2a76b9719d911017c592"',
          last_modified: "2026-03-01T09:30:00.000Z",
        },
      ],
    }),
);

/** Response of `object/id`. */
export const objectLocationSchema = lazySchema(() =>
  z.object({ id: z.uuid(), bucket: z.string(), path: z.string(), name: z.string(), type: z.literal("file") }).meta({
    id: "ObjectPlace",
    examples: [{ id: objectExample.id, bucket: "company", path: "reports/2026.pdf", name: "2026.pdf", type: "file" }],
  }),
);

const folderFields = () => ({
  name: z.string(),
  bucket_id: z.string(),
  access: accessSchema(),
  folder_id: z.uuid().nullable().describe("Id of the placeholder object that keeps an empty folder, or null"),
  id: z.null(),
  owner: z.null(),
  version: z.null(),
  created_at: z.null(),
  updated_at: z.null(),
  last_accessed_at: z.null(),
  metadata: z.null(),
});

/** Response of a list. Folders precede files. */
export const listedSchema = lazySchema(() =>
  z.array(z.union([z.object(folderFields()), z.object(objectFields())])).meta({
    id: "Listed",
    examples: [
      [
        {
          name: "reports",
          bucket_id: "company",
          folder_id: null,
          id: null,
          owner: null,
          version: null,
          created_at: null,
          updated_at: null,
          last_accessed_at: null,
          metadata: null,
          access: { ...accessExample, owner_id: null },
        },
        { ...objectExample, name: "plan.pdf" },
      ],
    ],
  }),
);

const sortBy = () =>
  z.object(
    {
      column: z.enum(["name", "created_at", "updated_at"], "invalid").default("name"),
      order: z.enum(["asc", "desc"], "invalid").default("asc"),
    },
    "invalid",
  );

const cursorText = () => z.string("invalid").min(1, "invalid").max(3000, "invalid").meta(cursorShape).nullish();
const pageLimit = (fallback: number) =>
  z.int("invalid").min(1, "out_of_range").max(1000, "out_of_range").default(fallback);

/** Body of `object/list/{bucket}`. */
export const listBody = lazySchema(() =>
  z
    .object({
      prefix: z.string("invalid").default("").describe("The folder; empty for the top of the bucket"),
      limit: pageLimit(100),
      offset: z.int("invalid").min(0, "out_of_range").max(MAX_OFFSET, "use_cursor").default(0),
      cursor: cursorText().describe("`X-Next-Cursor` of the previous page; replaces `offset`"),
      search: z.string("invalid").nullish().describe("Only names that start with this text"),
      sortBy: sortBy().nullish(),
    })
    .meta({ id: "List", examples: [{ prefix: "reports", limit: 100, sortBy: { column: "name", order: "asc" } }] }),
);

/** Body of `object/list-v2/{bucket}`. */
export const listV2Body = lazySchema(() =>
  z
    .object({
      prefix: z.string("invalid").default("").describe("Only paths that start with this text"),
      limit: pageLimit(1000),
      cursor: cursorText().describe("`nextCursor` of the previous page"),
      with_delimiter: z
        .boolean("invalid")
        .default(false)
        .describe("List only one level: the objects and folders directly below the prefix"),
      sortBy: sortBy().nullish(),
    })
    .meta({ id: "ListV2", examples: [{ prefix: "reports/", with_delimiter: true, limit: 100 }] }),
);

export const listedV2Schema = lazySchema(() =>
  z
    .object({
      hasNext: z.boolean(),
      nextCursor: z.string().optional(),
      folders: z.array(z.object({ name: z.string(), key: z.string() })),
      objects: z.array(z.object({ ...objectFields(), key: z.string() })),
    })
    .meta({
      id: "ListedV2",
      examples: [
        {
          hasNext: false,
          folders: [{ name: "reports/2025/", key: "reports/2025/" }],
          objects: [{ ...objectExample, key: "reports/2026.pdf" }],
        },
      ],
    }),
);

/** The parameter of `object/id`. */
export const objectIdParams = lazySchema(() => z.object({ id: z.uuid() }));
