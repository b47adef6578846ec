import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { companyPageQuery, pageSchema } from "../page";
import { idText, uuidText } from "../query";
import { period } from "./event-log";

const statuses = ["pending", "failed", "delivered", "dead"] as const;

/** Filters of `GET /api/v1/actions/deliveries`. `isRuleType` returns whether webhooks can subscribe to an event type. */
export function deliveryFilterOf(isRuleType: (type: string) => boolean) {
  return lazySchema(() =>
    z.object({
      status: z.enum(statuses, "invalid").optional(),
      event_type: z.string("invalid").refine(isRuleType, "invalid").optional(),
      action_rule_id: idText().optional(),
      webhook_id: uuidText().optional().describe("id of the event"),
      scheduled_job_run_id: idText().optional().describe("staff only"),
      ...period(),
    }),
  );
}

export type DeliveryFilter = z.output<ReturnType<typeof deliveryFilterOf>>;

/** Query of `GET /api/v1/actions/deliveries`. */
export const deliveryQueryOf = (filter: ReturnType<typeof deliveryFilterOf>, types: readonly string[]) =>
  lazySchema(() => z.object({ ...filter.unwrap().shape, event_type: z.enum(types).optional(), ...companyPageQuery() }));

const time = () => z.iso.datetime();

const attemptSchema = lazySchema(() =>
  z.object({
    id: z.int(),
    status: z.enum(["success", "failure"]),
    http_status: z.int().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    attempt_number: z.int(),
    requeue_count: z.int(),
    duration_ms: z.int(),
    trigger: z.enum(["dispatch", "automatic_retry"]),
    created_at: time(),
    scheduled_job_run_id: z.int().nullable().optional().describe("for staff only"),
  }),
);

const deliveryShape = lazySchema(() =>
  z.object({
    id: z.uuid(),
    company_id: z.int(),
    action_rule_id: z.int(),
    action_rule_name: z.string(),
    action_kind: z.literal("webhook"),
    event_type: z.string(),
    webhook_id: z.string().describe("id of the event, the same for every rule and attempt"),
    status: z.enum(statuses),
    paused: z.boolean().describe("waits until its rule is enabled"),
    attempt_count: z.int(),
    requeue_count: z.int(),
    next_attempt_at: time().nullable(),
    last_error: z.string().nullable(),
    last_error_code: z.string().nullable(),
    created_at: time(),
    updated_at: time(),
    delivered_at: time().nullable(),
    attempts: z.array(attemptSchema.unwrap()),
  }),
);

const exampleDelivery: z.output<typeof deliveryShape> = {
  id: "7d6a2f0e-2f0b-4c5e-9a51-0d7f6a1f3c21",
  company_id: 10,
  action_rule_id: 5,
  action_rule_name: "Deploy bot",
  action_kind: "webhook",
  event_type: "hosting.app.created",
  webhook_id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
  status: "failed",
  paused: false,
  attempt_count: 1,
  requeue_count: 0,
  next_attempt_at: "2026-10-07T10:00:30.000Z",
  last_error: "HTTP 503: try later",
  last_error_code: "http_status",
  created_at: "2026-10-07T09:59:59.000Z",
  updated_at: "2026-10-07T10:00:00.000Z",
  delivered_at: null,
  attempts: [
    {
      id: 17,
      status: "failure",
      http_status: 503,
      error_code: "http_status",
      error_message: "HTTP 503: try later",
      attempt_number: 1,
      requeue_count: 0,
      duration_ms: 84,
      trigger: "dispatch",
      created_at: "2026-10-07T10:00:00.000Z",
    },
  ],
};

/** A webhook delivery with at most 8 attempts, the newest ones. */
export const deliverySchema = lazySchema(() =>
  deliveryShape.unwrap().meta({ id: "Delivery", examples: [exampleDelivery] }),
);

/** Response of `GET /api/v1/actions/deliveries`, newest first. */
export const deliveryPage = pageSchema(deliverySchema);

/** Response of `GET /api/v1/actions/deliveries/{id}`: the delivery with all attempts, newest first, and the request body. */
export const deliveryDetailSchema = lazySchema(() =>
  deliveryShape
    .unwrap()
    .extend({ envelope: z.record(z.string(), z.unknown()) })
    .meta({
      id: "DeliveryDetail",
      examples: [
        {
          ...exampleDelivery,
          envelope: {
            company: { id: 10 },
            data: { app_id: "9b1c7a52-51c4-4d8f-8f0b-6f2f6f5f1b3a", name: "shop" },
            id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
            time: "2026-10-07T09:59:59.000+00:00",
            type: "hosting.app.created",
          },
        },
      ],
    }),
);
