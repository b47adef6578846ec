import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { lineSchema } from "../text/text";

/** Whether a company may host apps. `none`: it has not asked. */
export const ACCESS_STATUSES = ["none", "pending", "approved", "denied"] as const;

/** Body of `POST access/request`; it has no fields. */
export const accessRequestBody = lazySchema(() =>
  z.object({}).meta({ id: "HostingAccessRequest", description: "No fields", examples: [{}] }),
);

/** Body of `POST access`. Missing notes become blank. */
export const accessDecisionBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").max(999_999_999_999_999, "invalid"),
      status: z.enum(["approved", "denied"], "invalid"),
      notes: lineSchema(1000, { blank: true }).optional(),
    })
    .meta({
      id: "HostingAccessDecision",
      examples: [{ company_id: 10, status: "approved", notes: "Signed contract" }],
    }),
);

/** Whether a company may host apps. */
export const accessSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      status: z.enum(ACCESS_STATUSES),
      requested_at: z.iso.datetime().nullable(),
      requested_by_id: z.int().nullable(),
      reviewed_at: z.iso.datetime().nullable(),
      reviewed_by_id: z.int().nullable().describe("null for the operator"),
      notes: z.string(),
    })
    .meta({
      id: "HostingAccess",
      examples: [
        {
          company_id: 10,
          status: "approved",
          requested_at: "2026-11-20T09:30:00.000Z",
          requested_by_id: 7,
          reviewed_at: "2026-11-20T11:00:00.000Z",
          reviewed_by_id: 1,
          notes: "Signed contract",
        },
      ],
    }),
);

export type PublicAccess = z.output<ReturnType<typeof accessSchema.unwrap>>;
