import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { companyPageQuery } from "../../page";
import { booleanText, idText } from "../../query";
import { period, requestIdText } from "../../webhooks/event-log";

const text = (max: number) => z.string("invalid").max(max, "too_long").optional();

/** Filters of `GET /api/v1/login-events`. */
export const loginFilter = lazySchema(() =>
  z.object({
    outcome: z.enum(["success", "failure"], "invalid").optional(),
    provider: text(64),
    user_id: idText().optional(),
    is_staff_at_event: booleanText().optional(),
    ...period(),
    country: text(64),
    city: text(128),
    timezone: text(64),
    request_id: requestIdText().optional(),
  }),
);

/** Query of `GET /api/v1/login-events`. */
export const loginQuery = lazySchema(() => z.object({ ...loginFilter.unwrap().shape, ...companyPageQuery() }));

/** A login event. */
export const loginEventSchema = lazySchema(() =>
  z
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
    }),
);
