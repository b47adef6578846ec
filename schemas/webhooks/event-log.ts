import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { companyPageQuery } from "../page";
import { idText, listQuery, timeText, uuidText } from "../query";
import { requestIdPattern } from "../text/request-id";

/** The query parameters that limit a list to a period. */
export const period = () => ({
  created_after: timeText().optional().describe("inclusive"),
  created_before: timeText().optional().describe("exclusive"),
});

/** The id of a request: the header X-Request-ID of its response. */
export const requestIdText = () =>
  z.string("invalid").regex(requestIdPattern, "invalid").describe("X-Request-ID of the request that wrote the event");

/**
 * Filters of `GET /api/v1/actions/event-log`. `isType` returns whether the service has an event type. `hasRequestIds`: the
 * list has the filter `request_id`.
 */
export function eventFilterOf(isType: (type: string) => boolean, { hasRequestIds }: { hasRequestIds: boolean }) {
  return lazySchema(() => {
    const types = z
      .string("invalid")
      .transform((csv) => [...new Set(csv.split(",").map((type) => type.trim()))])
      .refine((types) => types.every(isType), "invalid");
    const byRequest = { request_id: requestIdText().optional() };
    return z.object({
      event_type: types.optional().describe("comma-separated list"),
      user_id: idText().optional(),
      user: z.string("invalid").max(254, "too_long").optional().describe("part of the email address, case-insensitive"),
      event_id: uuidText().optional(),
      ...((hasRequestIds ? byRequest : {}) as typeof byRequest),
      ...period(),
      scope: z.enum(["company", "platform"], "invalid").optional().describe("`platform`: staff only"),
    });
  });
}

export type EventFilter = z.output<ReturnType<typeof eventFilterOf>>;

/** Query of `GET /api/v1/actions/event-log`. */
export const eventQueryOf = (filter: ReturnType<typeof eventFilterOf>, types: readonly string[]) =>
  lazySchema(() => z.object({ ...filter.unwrap().shape, event_type: listQuery(types), ...companyPageQuery() }));

/** A row of the event log. `data` omits empty values and values that the row has in a field of its own. */
export const eventSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      event_id: z.string(),
      company_id: z.int().nullable(),
      created_at: z.iso.datetime(),
      event_type: z.string(),
      label: z.string(),
      user_id: z.int().nullable(),
      user_email: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
    })
    .meta({
      id: "Event",
      examples: [
        {
          id: 812,
          event_id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
          company_id: 42,
          created_at: "2026-11-21T09:30:00.000Z",
          event_type: "storage.bucket.created",
          label: "Bucket created",
          user_id: 7,
          user_email: "mina@example.com",
          data: { bucket_name: "reports", bucket_kind: "custom" },
        },
      ],
    }),
);

/** Response of `GET /api/v1/actions/event-log/retention`. */
export const retentionSchema = lazySchema(() =>
  z
    .object({
      data_retention_days: z.int(),
      oldest_event_at: z.iso.datetime().nullable(),
      stale_events: z.boolean().describe("true if the oldest event is more than one day past its retention"),
    })
    .meta({
      examples: [{ data_retention_days: 7, oldest_event_at: "2026-11-15T09:30:00.000Z", stale_events: false }],
    }),
);

/** Body of `POST /api/v1/actions/event-log/{id}/replay`. */
export const replayBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      action_rule_id: z.int("invalid").min(1, "invalid"),
    })
    .meta({ examples: [{ action_rule_id: 5 }] }),
);
