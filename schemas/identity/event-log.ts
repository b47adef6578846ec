import * as z from "zod";
import { booleanText, idText, timeText } from "../query";
import { findEventEntry } from "./events";
import { pageQuery } from "./list";

const knownTypes = z
  .string("invalid")
  .transform((csv) => [...new Set(csv.split(",").map((type) => type.trim()))])
  .refine((types) => types.every((type) => findEventEntry(type) !== undefined), "invalid");

const period = {
  created_after: timeText.optional().describe("inclusive"),
  created_before: timeText.optional().describe("exclusive"),
};

const paging = { company_id: z.string().optional(), ...pageQuery.shape, cursor: z.string().optional() };

/** Filters of `GET /api/v1/events` (identity details 11, Document 3 details 4.9). */
export const eventFilter = z.object({
  event_type: knownTypes.optional().describe("comma list"),
  user_id: idText.optional(),
  user: z.string("invalid").max(254, "too_long").optional().describe("part of the email address, in any case"),
  event_id: z.string("invalid").max(64, "too_long").optional(),
  ...period,
  scope: z.enum(["company", "platform"], "invalid").optional().describe("`platform`: staff only"),
});

/** Query of `GET /api/v1/events`. */
export const eventQuery = z.object({ ...eventFilter.shape, ...paging });

const text = (max: number) => z.string("invalid").max(max, "too_long").optional();

/** Filters of `GET /api/v1/login-events` (identity details 11). */
export const loginFilter = z.object({
  outcome: z.enum(["success", "failure"], "invalid").optional(),
  provider: text(64),
  user_id: idText.optional(),
  is_staff_at_event: booleanText.optional(),
  ...period,
  country: text(64),
  city: text(128),
  timezone: text(64),
});

/** Query of `GET /api/v1/login-events`. */
export const loginQuery = z.object({ ...loginFilter.shape, ...paging });

/** Row of the event log; `data` leaves out what is empty, and what the row says already. */
export const eventSchema = z
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
    examples: [
      {
        id: 812,
        event_id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
        company_id: 42,
        created_at: "2026-11-21T09:30:00.000Z",
        event_type: "identity.user.updated",
        label: "User updated",
        user_id: 7,
        user_email: "mina@example.com",
        data: { email: "mina@example.com", username: "mina", source: "admin", changed_fields: ["first_name"] },
      },
    ],
  });

/** Row of the login events (identity details 11). */
export const loginEventSchema = z
  .object({
    id: z.int(),
    company_id: z.int(),
    created_at: z.iso.datetime(),
    user_id: z.int().nullable(),
    user_email: z.string().nullable(),
    outcome: z.enum(["success", "failure"]),
    provider: z.string().nullable(),
    failure_reason: z.string().nullable(),
    is_staff_at_event: z.boolean().nullable(),
    ip_hash: z.string().nullable(),
    user_agent: z.string().nullable(),
    client_timezone: z.string().nullable(),
    client_device_id_hash: z.string().nullable(),
    client_country: z.string().nullable(),
    client_city: z.string().nullable(),
  })
  .meta({
    examples: [
      {
        id: 813,
        company_id: 42,
        created_at: "2026-11-21T09:31:00.000Z",
        user_id: 7,
        user_email: "mina@example.com",
        outcome: "failure",
        provider: "magic_link",
        failure_reason: "magic_link_invalid",
        is_staff_at_event: false,
        ip_hash: "5f1d7c0a9b3e4d2f8a6c1b0e7d9f3a52",
        user_agent: "Mozilla/5.0",
        client_timezone: "Europe/Paris",
        client_device_id_hash: null,
        client_country: "FR",
        client_city: "Lyon",
      },
    ],
  });

/** A page of a log: by `page` with a `count` that stops at 10001, or by `cursor` without both. */
export function logPageSchema<S extends z.ZodType>(row: S) {
  const results = (row.meta()?.examples ?? []) as z.output<S>[];
  return z
    .object({
      count: z.int().optional(),
      page: z.int().optional(),
      page_size: z.int(),
      results: z.array(row),
      next_cursor: z.string().nullable(),
    })
    .meta({ examples: [{ count: results.length, page: 1, page_size: 20, results, next_cursor: null }] });
}

/** Answer of `GET /api/v1/events/types`. */
export const eventTypesSchema = z
  .object({
    results: z.array(z.object({ type: z.string(), label: z.string(), description: z.string(), webhook: z.boolean() })),
  })
  .meta({
    examples: [
      {
        results: [
          {
            type: "identity.user.created",
            label: "User account created",
            description: "A new user got their first membership.",
            webhook: true,
          },
        ],
      },
    ],
  });

/** Answer of `GET /api/v1/events/retention`. */
export const retentionSchema = z
  .object({
    data_retention_days: z.int(),
    oldest_event_at: z.iso.datetime().nullable(),
    stale_events: z.boolean().describe("events are more than one day past their retention"),
  })
  .meta({
    examples: [{ data_retention_days: 7, oldest_event_at: "2026-11-15T09:30:00.000Z", stale_events: false }],
  });
