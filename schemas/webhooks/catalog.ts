import * as z from "zod";
import { lazySchema } from "../lazy-schema";

const payloadField = lazySchema(() => z.object({ name: z.string(), description: z.string(), example: z.unknown() }));

const ruleEvent = lazySchema(() =>
  z.object({
    type: z.string(),
    label: z.string(),
    description: z.string(),
    emit_by_default: z.boolean(),
    supported_action_kinds: z.array(z.literal("webhook")),
    payload_fields: z.array(payloadField.unwrap()),
    sample_envelope: z.record(z.string(), z.unknown()),
  }),
);

/** Response of `GET /api/v1/actions/events`: the event types that webhooks can subscribe to. */
export const ruleEventsSchema = lazySchema(() =>
  z.object({ results: z.array(ruleEvent.unwrap()) }).meta({
    examples: [
      {
        results: [
          {
            type: "storage.bucket.created",
            label: "Bucket created",
            description: "A bucket was created.",
            emit_by_default: true,
            supported_action_kinds: ["webhook"],
            payload_fields: [{ name: "bucket_name", description: "name of the bucket", example: "reports" }],
            sample_envelope: {
              id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
              type: "storage.bucket.created",
              time: "2026-11-21T09:30:00.000+00:00",
              company: { id: 42, slug: "aster", name: "Aster" },
              data: { bucket_name: "reports" },
            },
          },
        ],
      },
    ],
  }),
);

/** Response of `GET /api/v1/actions/event-log/types`. */
export const eventTypesSchema = lazySchema(() =>
  z
    .object({
      results: z.array(
        z.object({ type: z.string(), label: z.string(), description: z.string(), webhook: z.boolean() }),
      ),
    })
    .meta({
      examples: [
        {
          results: [
            {
              type: "storage.bucket.created",
              label: "Bucket created",
              description: "A bucket was created.",
              webhook: true,
            },
          ],
        },
      ],
    }),
);
