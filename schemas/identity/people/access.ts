import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { companyQuery } from "../../query";
import { addressSchema } from "../../text/address";

/** The checks of an access report, in the order in which a sign-in makes them. */
export const accessChecks = [
  "company",
  "methods",
  "account",
  "invitation",
  "membership",
  "join_rule",
  "limits",
  "mail",
] as const;

/** Query of `GET /api/v1/access`, for the OpenAPI document. */
export const accessQuery = lazySchema(() => companyQuery.unwrap().extend({ email: addressSchema() }));

/** The address of `GET /api/v1/access`. */
export const accessInput = lazySchema(() => z.object({ email: addressSchema() }));

/** Response of `GET /api/v1/access` and `GET /api/v1/users/{id}/access`. */
export const accessSchema = lazySchema(() =>
  z
    .object({
      email: z.string(),
      user_id: z
        .int()
        .nullable()
        .describe("null for a new address; owners also see null for an account without a membership in the company"),
      can_sign_in: z.boolean().describe("whether every check is `ok`, except `limits` and `mail`"),
      checks: z.array(
        z.object({
          check: z.enum(accessChecks),
          ok: z.boolean().nullable().describe("null when the check could not be made"),
          code: z.string(),
          change: z
            .object({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()).optional() })
            .nullable()
            .describe("the call that would change the result, in the company of the report; null when there is none"),
        }),
      ),
      last_refusals: z
        .array(z.object({ at: z.iso.datetime(), code: z.string(), provider: z.string().nullable() }))
        .describe("the last five rejected sign-ins, newest first"),
    })
    .meta({
      id: "Access",
      examples: [
        {
          email: "noor@aster.example",
          user_id: null,
          can_sign_in: false,
          checks: [
            { check: "company", ok: true, code: "active", change: null },
            {
              check: "join_rule",
              ok: false,
              code: "access_pending",
              change: {
                method: "POST",
                path: "/api/v1/invitations?company_id=3",
                body: { email: "noor@aster.example" },
              },
            },
          ],
          last_refusals: [{ at: "2026-01-31T09:30:00.000Z", code: "access_pending", provider: "magic_link" }],
        },
      ],
    }),
);
