import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { isLine, linesPattern } from "../text/text";

const MAX_PATHS = 1000;
const MAX_NOTES = 500;
const MAX_DOWNLOADS = 1_000_000_000;

const token =
  "eyJrIjoiMWYyZTNkNGMiLCJjIjo3LCJiIjoiY29tcGFueSIsInAiOiJhLnR4dCIsImUiOjE3OTg3NjE2MDB9.x0Vb9yCzQ2m7Jk1fO3sT5uWqYdPnHaLrGeBiXcMv8Zw";
const signedExample = {
  signedURL: `/object/sign/company/a.txt?token=${token}`,
  signedUrl: `https://storage.example.com/storage/v1/object/sign/company/a.txt?token=${token}`,
};

/** Default of `SIGNED_URL_MAX_EXPIRES`, in seconds. */
const DEFAULT_MAX_SECONDS = 604_800;

/** A pattern for the integers from 1 to DEFAULT_MAX_SECONDS as text. */
const secondsPattern = "^([1-9][0-9]{0,4}|[1-5][0-9]{5}|60[0-3][0-9]{3}|604[0-7][0-9]{2}|604800)$";

/** Seconds as a number or as decimal text. The Python client of Supabase sends text. */
const expiresIn = () =>
  z
    .union(
      [
        z.int("invalid").min(1, "out_of_range").meta({ maximum: DEFAULT_MAX_SECONDS }),
        z
          .string("invalid")
          .regex(/^(?:0|[1-9][0-9]{0,8})$/, "invalid")
          .transform(Number)
          .refine((seconds) => seconds >= 1, "out_of_range")
          .meta({ type: "string", pattern: secondsPattern }),
      ],
      "invalid",
    )
    .optional()
    .describe("Seconds; at most 604800, unless the deployment sets `SIGNED_URL_MAX_EXPIRES`");

/** Body of `POST object/sign/{bucket}/{path}`. A setting defines the maximum lifetime. */
export const signBody = lazySchema(() =>
  z.object({ expiresIn: expiresIn() }).meta({ id: "SignRequest", examples: [{ expiresIn: 3600 }] }),
);

/** Body of `POST object/sign/{bucket}`. */
export const signManyBody = lazySchema(() =>
  z
    .object({ expiresIn: expiresIn(), paths: z.array(z.string("invalid"), "invalid").max(MAX_PATHS, "too_many") })
    .meta({ id: "SignManyRequest", examples: [{ expiresIn: 3600, paths: ["a.txt"] }] }),
);

const signedFields = () => ({
  signedURL: z.string().meta({ description: "Path relative to `/storage/v1`" }),
  signedUrl: z.string().meta({ description: "Absolute URL" }),
});

/** A signed URL. */
export const signedSchema = lazySchema(() =>
  z.object(signedFields()).meta({ id: "SignedUrl", examples: [signedExample] }),
);

/** Signed URLs in the order of the requested paths. A path without an object has an `error` instead of URLs. */
export const signedManySchema = lazySchema(() =>
  z
    .array(
      z.object({
        path: z.string(),
        signedURL: z.string().nullable(),
        signedUrl: z.string().nullable(),
        error: z.string().nullable(),
      }),
    )
    .meta({ id: "SignedUrls", examples: [[{ path: "a.txt", ...signedExample, error: null }]] }),
);

/** Query of a signed URL. */
export const signedQuery = lazySchema(() =>
  z.object({ token: z.string().meta({ example: token }), download: z.string().optional() }),
);

const endsAt = () => z.iso.datetime({ offset: true, error: "invalid" }).nullish();
const downloads = () => z.int("invalid").min(1, "out_of_range").max(MAX_DOWNLOADS, "out_of_range").nullish();

/** Body of `POST share/{bucket}/{path}`. Each limit is accepted in snake case and in camel case. */
export const shareBody = lazySchema(() =>
  z
    .object({
      expires_at: endsAt(),
      expiresAt: endsAt(),
      max_downloads: downloads(),
      maxDownloads: downloads(),
      notes: z
        .string("invalid")
        .trim()
        .max(MAX_NOTES, "too_long")
        .refine((text) => isLine(text.replace(/[\n\r\t]/g, "")), "invalid")
        .meta({ pattern: linesPattern })
        .nullish(),
    })
    .meta({
      id: "ShareRequest",
      examples: [{ expires_at: "2026-12-31T12:00:00Z", max_downloads: 3, notes: "For Mina" }],
    }),
);

const shareFields = () => ({
  id: z.uuid(),
  object_id: z.uuid(),
  bucket: z.string(),
  path: z.string(),
  company_id: z.int(),
  created_by_id: z.int(),
  expires_at: z.iso.datetime().nullable(),
  max_downloads: z.int().nullable(),
  download_count: z.int(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  notes: z.string().nullable(),
  active: z.boolean(),
});

const shareExample = {
  id: "018f6b1e-3c2a-7d4e-9f10-5a6b7c8d9e0f",
  object_id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
  bucket: "company",
  path: "reports/2026.pdf",
  company_id: 7,
  created_by_id: 12,
  expires_at: "2026-12-31T12:00:00.000Z",
  max_downloads: 3,
  download_count: 0,
  revoked_at: null,
  created_at: "2026-11-23T09:00:00.000Z",
  notes: "For Mina",
  active: true,
};

/** A share link without its token. Only the response to its creation contains the token. */
export const shareSchema = lazySchema(() =>
  z.object(shareFields()).meta({ id: "ShareLink", examples: [shareExample] }),
);

const shareToken = "Kx3vQ0m1bYc7dT5nJ8wZ2rF6hL9sA4gE-uPqXiVoBtM";

/** A created share link, with its token. */
export const createdShareSchema = lazySchema(() =>
  z
    .object({
      ...shareFields(),
      token: z.string(),
      path_url: z.string().meta({ description: "Path of the link, relative to the origin of the service" }),
      url: z.string().meta({ description: "Absolute URL" }),
    })
    .meta({
      id: "CreatedShareLink",
      examples: [
        {
          ...shareExample,
          token: shareToken,
          path_url: `/storage/v1/share/link/${shareToken}`,
          url: `https://storage.example.com/storage/v1/share/link/${shareToken}`,
        },
      ],
    }),
);

/** The links of an object. */
export const sharesSchema = lazySchema(() =>
  z.array(z.object(shareFields())).meta({ id: "ShareLinks", examples: [[shareExample]] }),
);

/** Path parameter: the token of a share link. Revocation also accepts the id of the link. */
export const shareParams = lazySchema(() => z.object({ token: z.string().meta({ example: shareToken }) }));
