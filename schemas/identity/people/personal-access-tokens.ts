import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageSchema } from "../../page";
import { lineSchema } from "../../text/text";

const companyId = () => z.int("invalid").min(1, "invalid").optional().describe("must be the company of the credential");
const name = () => lineSchema(200, { blank: true });
const flag = () => z.boolean("invalid");
/** A lifetime in seconds. The service also checks the maximum, which is `PERSONAL_ACCESS_TOKEN_LIFETIME`. */
const expiresIn = () =>
  z
    .int("invalid")
    .min(300, "out_of_range")
    .optional()
    .describe("lifetime in seconds, from 300 to the maximum of the deployment, which is the default");

const row = {
  id: "7d6a2f0e-2f0b-4c5e-9a51-0d7f6a1f3c21",
  user_id: 12,
  name: "Nightly report",
  read_only: true,
  access_global_metrics: false,
  created_at: "2026-03-02T09:15:00.000Z",
  expires_at: "2026-04-01T09:15:00.000Z",
  last_used_at: "2026-03-03T01:00:04.120Z",
  revoked_at: null,
  use_count: 3,
  last_used_network: "203.0.113.0/24",
};

const patRow = lazySchema(() =>
  z.object({
    id: z.uuid(),
    user_id: z.int(),
    name: z.string(),
    read_only: z.boolean(),
    access_global_metrics: z.boolean(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    use_count: z.int(),
    last_used_network: z.string().nullable().describe("IPv4 /24 or IPv6 /48 network of the last use"),
  }),
);

/** A personal access token in responses, without the JWT. */
export const patSchema = lazySchema(() => patRow.unwrap().meta({ examples: [row] }));

/** Response of `GET /api/v1/personal-access-tokens`. */
export const patPageSchema = lazySchema(() =>
  pageSchema(patSchema)
    .unwrap()
    .meta({
      examples: [{ count: 1, page: 1, page_size: 20, results: [row], next_cursor: null }],
    }),
);

/** Response to creating or reissuing a token. Only these responses contain the JWT. */
export const issuedPatSchema = lazySchema(() =>
  patRow
    .unwrap()
    .extend({ access_token: z.string() })
    .meta({ examples: [{ ...row, access_token: "eyJhbGciOiJSUzI1NiJ9.eyJwYXRfcm8iOnRydWV9.c2lnbmF0dXJl" }] }),
);

/** Body of `POST /api/v1/personal-access-tokens`. */
export const patCreateSchema = lazySchema(() =>
  z
    .object({
      company_id: companyId(),
      name: name().default(""),
      read_only: flag().default(false),
      access_global_metrics: flag().default(false).describe("staff only"),
      expires_in: expiresIn(),
    })
    .meta({ examples: [{ name: "Nightly report", read_only: true, expires_in: 86_400 }] }),
);

/** Body of `PATCH /api/v1/personal-access-tokens/{id}`. `name` or `access_global_metrics` is required. */
export const patChangeSchema = lazySchema(() =>
  z
    .object({
      company_id: companyId(),
      name: name().optional(),
      access_global_metrics: flag().optional().describe("staff only"),
    })
    .refine((body) => body.name !== undefined || body.access_global_metrics !== undefined, {
      path: ["name"],
      error: "required",
    })
    .meta({
      anyOf: [{ required: ["name"] }, { required: ["access_global_metrics"] }],
      examples: [{ name: "Weekly report" }],
    }),
);

/** Body of `POST /api/v1/personal-access-tokens/{id}/reissue`, which may be empty. */
export const patReissueSchema = lazySchema(() =>
  z.object({ company_id: companyId(), expires_in: expiresIn() }).meta({ examples: [{ expires_in: 86_400 }] }),
);
