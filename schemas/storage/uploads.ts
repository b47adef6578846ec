import * as z from "zod";
import { lazySchema } from "../lazy-schema";

/** Body of `POST upload/{bucket}/{path}`. */
export const uploadBody = lazySchema(() =>
  z
    .object({
      size: z.int("invalid").min(0, "out_of_range"),
      mime_type: z.string("invalid").max(255, "too_long").nullish(),
      cache_control: z.string("invalid").max(200, "too_long").nullish(),
      metadata: z.record(z.string(), z.unknown(), "invalid").nullish(),
    })
    .meta({ id: "UploadBody", examples: [{ size: 52_428_800, mime_type: "video/mp4" }] }),
);

/** Response of `POST upload/{bucket}/{path}`. */
export const uploadOpenedSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      part_size: z.int().meta({ description: "Bytes of each part except the last" }),
      part_count: z.int(),
      expires_at: z.string(),
    })
    .meta({
      id: "UploadOpened",
      examples: [
        {
          id: "0f6a1c5e-3b7b-4a40-8a2b-0a4e7e1f9d10",
          part_size: 8_388_608,
          part_count: 7,
          expires_at: "2026-11-24T09:30:00.000Z",
        },
      ],
    }),
);

/** The state of a multipart upload. */
export const uploadStateSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      bucket: z.string(),
      path: z.string(),
      size: z.int(),
      part_size: z.int(),
      part_count: z.int(),
      parts: z.array(z.int()).meta({ description: "Numbers of the stored parts" }),
      received_bytes: z.int(),
      expires_at: z.string(),
      completed_at: z.string().nullable(),
    })
    .meta({
      id: "UploadState",
      examples: [
        {
          id: "0f6a1c5e-3b7b-4a40-8a2b-0a4e7e1f9d10",
          bucket: "company",
          path: "videos/talk.mp4",
          size: 52_428_800,
          part_size: 8_388_608,
          part_count: 7,
          parts: [1, 2, 5],
          received_bytes: 25_165_824,
          expires_at: "2026-11-24T09:30:00.000Z",
          completed_at: null,
        },
      ],
    }),
);

/** The parameters of a part. */
export const partParams = lazySchema(() => z.object({ id: z.uuid(), part: z.int().min(1).max(10_000) }));

/** A stored part. */
export const partSchema = lazySchema(() =>
  z.object({ part: z.int(), size: z.int() }).meta({ id: "UploadPart", examples: [{ part: 1, size: 8_388_608 }] }),
);

/** The state of a resumable upload. */
export const resumableStateSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      bucket: z.string(),
      path: z.string(),
      size: z.int().nullable().meta({ description: "null while the length is deferred (`Upload-Defer-Length`)" }),
      offset: z.int(),
      expires_at: z.string(),
      completed_at: z.string().nullable(),
    })
    .meta({
      id: "ResumableState",
      examples: [
        {
          id: "0f6a1c5e-3b7b-4a40-8a2b-0a4e7e1f9d10",
          bucket: "company",
          path: "videos/talk.mp4",
          size: 52_428_800,
          offset: 12_582_912,
          expires_at: "2026-11-24T09:30:00.000Z",
          completed_at: null,
        },
      ],
    }),
);

/** The id of a resumable upload, for routes that do not use it. */
export const anyIdParams = lazySchema(() => z.object({ id: z.string().min(1) }));
