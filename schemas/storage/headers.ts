import * as z from "zod";
import { lazySchema } from "../lazy-schema";

const upsert = () => z.string().optional().meta({ description: "`true` to replace an existing object" });
const tags = () => z.string().optional();

/** Headers of requests that replace an object only with `x-upsert: true`. */
const overwriteFields = () => ({ "x-upsert": upsert(), "if-match": tags(), "if-none-match": tags() });

const digests = () => ({
  "content-md5": z
    .string()
    .optional()
    .meta({ pattern: "^([0-9A-Fa-f]{32}|[A-Za-z0-9+/]{21}[AQgw]==)$", description: "MD5 of the body, base64 or hex" }),
  "x-checksum-sha256": z.string().optional().meta({
    pattern: "^([0-9A-Fa-f]{64}|[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$",
    description: "SHA-256 of the body, hex or base64",
  }),
});

/** Headers of a single-request upload. */
export const uploadHeaders = lazySchema(() =>
  z.object({
    ...overwriteFields(),
    ...digests(),
    "x-metadata": z.string().max(16_384).optional().meta({ description: "A JSON object or its base64, at most 8 KB" }),
    "cache-control": z.string().max(200).optional().meta({ pattern: "^[\\x20-\\x7e]*$" }),
    "content-encoding": z.string().max(100).optional().meta({
      pattern: "^([A-Za-z0-9-]+(, ?[A-Za-z0-9-]+)*)?$",
      description: "Encoding of the body",
      example: "identity",
    }),
    "idempotency-key": z.string().optional().meta({ pattern: "^[\\x21-\\x7e]{1,128}$" }),
  }),
);

/** Headers of requests that open or complete a multipart upload. `partHeaders`: headers of a part. */
export const overwriteHeaders = lazySchema(() => z.object(overwriteFields()));
export const partHeaders = lazySchema(() => z.object(digests()));

const version = () => ({ "tus-resumable": z.enum(["1.0.0"]) });
const bytes = () => z.int().min(0).max(999_999_999_999_999);
const length = () => bytes().optional();
const checksum = () =>
  z.string().max(200).optional().meta({ description: "`md5`, `sha1` or `sha256`, a space, and the base64 digest" });

/** Headers of a POST that overrides its method with PATCH or DELETE. PATCH also requires an offset. */
export const tusOverrideHeaders = lazySchema(() =>
  z.object({
    ...version(),
    "x-http-method-override": z.enum(["PATCH", "DELETE"]),
    "upload-offset": length(),
    "upload-length": length(),
    "upload-checksum": checksum(),
  }),
);

/** Headers that every TUS request has. The next two schemas add the headers of a creation and of a PATCH. */
export const tusHeaders = lazySchema(() => z.object(version()));
export const tusOpenHeaders = lazySchema(() =>
  z.object({
    ...version(),
    ...overwriteFields(),
    "upload-length": length(),
    "upload-defer-length": z.enum(["1"]).optional(),
    "upload-metadata": z.string().max(32_768).optional(),
    "upload-checksum": checksum(),
  }),
);
export const tusPatchHeaders = lazySchema(() =>
  z.object({ ...version(), "upload-offset": bytes(), "upload-length": length(), "upload-checksum": checksum() }),
);
