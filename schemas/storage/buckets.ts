import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { lineSchema } from "../text/text";

/** The bucket that every company has. It is created on first use. */
export const COMPANY_BUCKET = "company";

/** Reserved bucket names: the first segments of routes. Otherwise the path of an object could match such a route. */
export const reservedBucketNames: readonly string[] = [
  "authenticated",
  "bucket",
  "copy",
  "health",
  "info",
  "link",
  "list",
  "list-v2",
  "metrics",
  "move",
  "object",
  "prefix",
  "public",
  "quota",
  "resumable",
  "share",
  "sign",
  "sync",
  "upload",
];

const namePattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

const bucketName = () =>
  z
    .string("invalid")
    .regex(namePattern, "invalid")
    .refine((name) => !reservedBucketNames.includes(name), "reserved");

const SIZE_UNITS = ["", "k", "m", "g", "t"];

/** Parses a size such as `50MB` or `1.5 GB` to bytes, or returns NaN. Units are binary multiples. */
function bytesOf(text: string): number {
  const [, number, unit = ""] =
    /^(\d{1,16}(?:\.\d{1,6})?)\s?(?:([kmgt])?(?:i?b)?)$/.exec(text.trim().toLowerCase()) ?? [];
  return number === undefined ? Number.NaN : Math.floor(Number(number) * 1024 ** SIZE_UNITS.indexOf(unit));
}

const isBytes = (bytes: number): boolean => Number.isSafeInteger(bytes) && bytes >= 1;

const sizeLimit = () =>
  z
    .union(
      [
        z.int("invalid").refine(isBytes, "out_of_range").meta({ minimum: 1 }),
        z
          .string("invalid")
          .transform((text) => bytesOf(text))
          .refine((bytes) => !Number.isNaN(bytes), "invalid")
          .refine((bytes) => Number.isNaN(bytes) || isBytes(bytes), "out_of_range")
          .meta({ type: "string", pattern: "^ *[1-9][0-9]{0,2} ?([kKmMgG]([iI]?[bB])?)? *$" }),
      ],
      "invalid",
    )
    .nullable()
    .describe("Maximum bytes of one object, as a number or with a unit (`50MB`); null for the maximum of the service");

const mimePattern = "^[A-Za-z0-9!#$&^_.+-]{1,127}/([A-Za-z0-9!#$&^_.+-]{1,127}|\\*)$";

const mimeTypes = () =>
  z
    .array(z.string("invalid").regex(new RegExp(mimePattern), "invalid").toLowerCase(), "invalid")
    .max(100, "too_many")
    .transform((types) => (types.length === 0 ? null : [...new Set(types)]))
    .nullable()
    .describe("Allowed media types, such as `image/png` or `image/*`; null or an empty list allows all");

const isPrivate = () =>
  z.literal(false, "not_supported").nullish().describe("Must be false: public buckets are not supported");

const optionalFields = () => ({
  display_name: lineSchema(100).optional(),
  file_size_limit: sizeLimit().optional(),
  allowed_mime_types: mimeTypes().optional(),
  public: isPrivate(),
});

/** Body of `POST bucket`. `id` is an alias of `name`. */
export const newBucketBody = lazySchema(() =>
  z
    .object({
      name: bucketName().optional(),
      id: bucketName().optional(),
      type: z.literal("STANDARD", "not_supported").nullish(),
      ...optionalFields(),
    })
    .meta({ id: "NewBucket", examples: [{ name: "invoices", display_name: "Invoices", file_size_limit: "50MB" }] }),
);

/** Body of `PUT bucket/{name}`. Missing fields keep their values. A name must equal the name in the path. */
export const bucketChangeBody = lazySchema(() =>
  z
    .object({ ...optionalFields(), name: z.string("invalid").optional(), id: z.string("invalid").optional() })
    .meta({ id: "BucketChange", examples: [{ file_size_limit: 52_428_800, allowed_mime_types: ["image/*"] }] }),
);

/** A bucket name in a path, for the OpenAPI document. */
export const bucketNameText = (example: string) => z.string().meta({ pattern: namePattern.source, example });

/** The path parameter with a bucket name. */
export const bucketNameParams = lazySchema(() => z.object({ name: bucketNameText("invoices") }));

/** The access rights to a bucket, object or folder. */
export const accessSchema = () =>
  z
    .object({
      audience: z.literal("company"),
      readers: z.literal("company"),
      writers: z.literal("company"),
      owner_id: z.int().nullable(),
      shareable: z.literal(true),
      grants_enabled: z.literal(false),
      description: z.string(),
      can_write: z.literal(true),
    })
    .meta({ id: "Access" });

/** An example of access rights. */
export const accessExample = {
  audience: "company",
  readers: "company",
  writers: "company",
  owner_id: 7,
  shareable: true,
  grants_enabled: false,
  description: "Every member of the company reads and writes.",
  can_write: true,
};

const bucketFields = () => ({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  kind: z.enum(["company", "custom"]),
  owner: z.string().describe("Id of the user who created the bucket, as a string; empty for the bucket `company`"),
  public: z.literal(false),
  file_size_limit: z.int().nullable(),
  allowed_mime_types: z.array(z.string()).nullable(),
  connector_provider: z.null(),
  access: accessSchema(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const bucketExample = {
  id: "invoices",
  name: "invoices",
  display_name: "Invoices",
  kind: "custom",
  owner: "7",
  public: false,
  file_size_limit: 52_428_800,
  allowed_mime_types: ["application/pdf"],
  connector_provider: null,
  access: accessExample,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
};

export const bucketSchema = lazySchema(() =>
  z.object(bucketFields()).meta({ id: "Bucket", examples: [bucketExample] }),
);
export const bucketListSchema = lazySchema(() =>
  z.array(bucketSchema.unwrap()).meta({ id: "BucketList", examples: [[bucketExample]] }),
);
export const bucketCreatedSchema = lazySchema(() =>
  z.object({ name: z.string() }).meta({ id: "BucketCreated", examples: [{ name: "invoices" }] }),
);
export const bucketChangedSchema = lazySchema(() =>
  z
    .object({ ...bucketFields(), message: z.string() })
    .meta({ id: "BucketChanged", examples: [{ ...bucketExample, message: "Successfully updated" }] }),
);
export const messageSchema = lazySchema(() =>
  z.object({ message: z.string() }).meta({ id: "Message", examples: [{ message: "Successfully deleted" }] }),
);
export const emptiedSchema = lazySchema(() =>
  z
    .object({ deleted: z.int(), complete: z.boolean(), message: z.string() })
    .meta({ id: "BucketEmptied", examples: [{ deleted: 12, complete: true, message: "Successfully emptied" }] }),
);
