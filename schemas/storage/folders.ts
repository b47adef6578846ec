import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { linePattern } from "../text/text";

const text = () => z.string("invalid");
/** The path of an object or of a folder below the top, for the OpenAPI document. */
const path = () => text().meta({ minLength: 1, maxLength: 1024, pattern: linePattern });

/** The query of `GET object/prefix/{bucket}`. */
export const prefixQuery = lazySchema(() =>
  z.object({
    prefix: z
      .string()
      .max(1024)
      .optional()
      .meta({ pattern: linePattern, description: "The folder; the whole bucket when omitted" }),
  }),
);

export const prefixSchema = lazySchema(() =>
  z
    .object({
      prefix: z.string(),
      object_count: z.int(),
      file_count: z.int(),
      placeholder_count: z.int().describe("Placeholder objects that keep empty folders"),
      total_bytes: z.int(),
    })
    .meta({
      id: "Prefix",
      examples: [{ prefix: "reports", object_count: 13, file_count: 12, placeholder_count: 1, total_bytes: 578_556 }],
    }),
);

export const prefixRenameBody = lazySchema(() =>
  z
    .object({ from: path(), to: path() })
    .meta({ id: "PrefixRename", examples: [{ from: "drafts", to: "reports/2026" }] }),
);

export const prefixRenamedSchema = lazySchema(() =>
  z
    .object({ from: z.string(), to: z.string(), moved: z.int() })
    .meta({ id: "PrefixRenamed", examples: [{ from: "drafts", to: "reports/2026", moved: 12 }] }),
);

export const prefixRemovalBody = lazySchema(() =>
  z.object({ prefix: path() }).meta({ id: "PrefixRemoval", examples: [{ prefix: "drafts" }] }),
);

export const prefixRemovedSchema = lazySchema(() =>
  z
    .object({
      prefix: z.string(),
      deleted: z.boolean().describe("Whether any object was deleted"),
      count: z.int(),
      complete: z.boolean().describe("false when the time limit was reached; repeat the request to continue"),
    })
    .meta({ id: "PrefixRemoved", examples: [{ prefix: "drafts", deleted: true, count: 12, complete: true }] }),
);

/** Maximum number of items per chunk of a manifest. */
const MAX_SYNC_ITEMS = 5000;

/** Body of `POST sync/{bucket}`. */
export const syncBody = lazySchema(() =>
  z
    .object({
      prefix: text().default(""),
      items: z
        .array(
          z.object({
            path: path(),
            size: z.int("invalid").min(0, "out_of_range").max(Number.MAX_SAFE_INTEGER, "out_of_range"),
            etag: text().max(200, "too_long").nullish(),
          }),
          "invalid",
        )
        .max(MAX_SYNC_ITEMS, "too_many")
        .describe("Files with paths relative to `prefix`, sorted by the bytes of the paths"),
      after: text().nullish().describe("The last path of the previous chunk"),
      last: z.boolean("invalid").default(true).describe("Whether this is the last chunk"),
    })
    .meta({
      id: "Sync",
      examples: [{ prefix: "site", items: [{ path: "index.html", size: 812 }], after: null, last: true }],
    }),
);

export const syncSchema = lazySchema(() =>
  z
    .object({
      upload: z.array(z.string()),
      delete: z.array(z.string()),
      unchanged: z.int(),
      bytes_needed: z.int(),
      fits: z.boolean(),
      remaining_bytes: z.int().nullable(),
      delete_truncated: z.boolean(),
    })
    .meta({
      id: "SyncPlan",
      examples: [
        {
          upload: ["index.html"],
          delete: ["old.html"],
          unchanged: 40,
          bytes_needed: 812,
          fits: true,
          remaining_bytes: 10_737_370_112,
          delete_truncated: false,
        },
      ],
    }),
);
