import * as z from "zod";
import { lazySchema } from "../lazy-schema";

const text = () => z.string("invalid");

/** Returns a JSON Schema that requires at least one of these fields to be a string. */
const someText = (...names: string[]) => ({
  anyOf: names.map((name) => ({
    type: "object" as const,
    required: [name],
    properties: { [name]: { type: "string" as const } },
  })),
});

/**
 * Body of `object/copy` and `object/move`. Paths are relative to `bucketId` and `destinationBucket`. Without `bucketId`, every
 * path starts with its bucket and a slash.
 */
export const relocationBody = lazySchema(() =>
  z
    .object({
      bucketId: text().nullish(),
      destinationBucket: text().nullish(),
      sourceKey: text().nullish(),
      from: text().nullish().describe("Alias of `sourceKey`"),
      destinationKey: text().nullish(),
      to: text().nullish().describe("Alias of `destinationKey`"),
    })
    .meta({
      id: "Relocation",
      allOf: [
        someText("sourceKey", "from"),
        someText("destinationKey", "to"),
        {
          anyOf: [
            ...someText("bucketId").anyOf,
            { type: "object", properties: { destinationBucket: { type: "null" } } },
          ],
        },
      ],
      examples: [{ bucketId: "company", sourceKey: "drafts/plan.pdf", destinationKey: "reports/plan.pdf" }],
    }),
);

export const copiedSchema = lazySchema(() =>
  z.object({ message: z.string(), Id: z.uuid(), Key: z.string() }).meta({
    id: "Copied",
    examples: [
      {
        message: "Successfully copied",
        Id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
        Key: "company/reports/plan.pdf",
      },
    ],
  }),
);

export const movedSchema = lazySchema(() =>
  z.object({ message: z.string(), Id: z.uuid(), Key: z.string() }).meta({
    id: "Moved",
    examples: [
      {
        message: "Successfully moved",
        Id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
        Key: "company/reports/plan.pdf",
      },
    ],
  }),
);
