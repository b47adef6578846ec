import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressSchema } from "../../text/address";
import { webUrlPattern } from "../../text/web-url";

const challenge = () => z.string("invalid").regex(/^[A-Za-z0-9_-]{43}$/, "invalid_format");
/** A PKCE verifier (RFC 7636, section 4.1). */
const verifier = () => z.string("invalid").regex(/^[A-Za-z0-9._~-]{43,128}$/, "invalid_format");
const companyId = () => z.int("invalid").min(1, "invalid");
/** The company id in a form, where all values are text. */
const idFormField = () => z.string().regex(/^[1-9][0-9]{0,14}$/);
/** A refresh token for examples. */
const refresh_token = "prt_AQuPbB5PV0pVnSwNHz8cmncAAAAB0Fb0s3p1Jt2ZkqXb1cQmT7oV5rW9yE4uN6hLx8fGdA2";

/** Body of `POST /api/v1/magic-link/request`. It omits `company_id`, which may also be in the query. */
export const linkRequestSchema = lazySchema(() =>
  z
    .object({
      email: addressSchema(),
      redirect_to: z.string("invalid").min(1, "blank").max(2048, "too_long").meta({ pattern: webUrlPattern }),
      client_timezone: z
        .string("invalid")
        .max(64, "too_long")
        .regex(/^[A-Za-z0-9_+/-]*$/, "invalid_format")
        .nullish(),
      client_device_id: z.string("invalid").max(128, "too_long").nullish(),
      language: z.string("invalid").max(35, "too_long").nullish(),
      token_delivery: z.enum(["code", "fragment"], "invalid").nullish(),
      code_challenge: challenge().nullish(),
      code_challenge_method: z.literal("S256", "invalid").nullish(),
    })
    .refine((body) => !(body.code_challenge_method && !body.code_challenge), {
      path: ["code_challenge"],
      error: "required",
    }),
);

/** Body of the link request in the OpenAPI document. */
export const linkRequestBody = lazySchema(() =>
  z.object({ company_id: companyId().optional(), ...linkRequestSchema.unwrap().shape }).meta({
    examples: [
      {
        company_id: 42,
        email: "mina@example.com",
        redirect_to: "https://app.example.com/login/callback",
        client_timezone: "Europe/Paris",
        language: "fr",
      },
    ],
  }),
);

/**
 * The form that the sign-in page posts, for the OpenAPI document. It has the fields of `linkRequestSchema`, whose values are
 * text and never null, and the CSRF token.
 */
export const linkRequestForm = lazySchema(() => {
  const { email, redirect_to, ...optional } = linkRequestSchema.unwrap().shape;
  const texts = Object.entries(optional).map(([name, field]) => [name, field.unwrap().unwrap().optional()]);
  const shape = { email, redirect_to, ...Object.fromEntries(texts) };
  return z.object({ company_id: idFormField().optional(), ...shape, csrf_token: z.string() }).meta({
    examples: [
      {
        company_id: "42",
        email: "mina@example.com",
        redirect_to: "https://app.example.com/login/callback",
        csrf_token: "iavN7wEjRWeJq83v0q83vEjRWeJASNFZ4mrze8BI0Vn",
      },
    ],
  });
});

/** Response 200 of the link request. It is the same for every address. */
export const linkRequestedSchema = lazySchema(() =>
  z.object({ ok: z.literal(true), message: z.string() }).meta({
    examples: [{ ok: true, message: "If this address can sign in, a message with a sign-in link is on its way." }],
  }),
);

/** JSON body of `POST /api/v1/magic-link/verify` with the token from the link. */
export const consumeTokenSchema = lazySchema(() =>
  z
    .object({
      token: z.string("invalid").min(1, "required").max(128, "too_long"),
      company_id: companyId(),
      code_verifier: verifier().nullish(),
    })
    .meta({ examples: [{ token: "q83vEjRWeJASNFZ4mrze8BI0VniavN7wEjRWeJq83v0", company_id: 42 }] }),
);

/** JSON body with a typed sign-in code instead of the token. */
export const consumeCodeSchema = lazySchema(() =>
  z
    .object({
      code: z.string("invalid").min(1, "required").max(32, "too_long"),
      email: addressSchema(),
      company_id: companyId(),
      code_verifier: verifier().nullish(),
    })
    .meta({ examples: [{ code: "BCDF-2345", email: "mina@example.com", company_id: 42 }] }),
);

/** The form that the confirmation page posts. */
export const consumeFormSchema = lazySchema(() =>
  z.object({ token: z.string().min(1).max(128), company_id: idFormField(), csrf_token: z.string() }).meta({
    examples: [
      {
        token: "q83vEjRWeJASNFZ4mrze8BI0VniavN7wEjRWeJq83v0",
        company_id: "42",
        csrf_token: "iavN7wEjRWeJq83v0q83vEjRWeJASNFZ4mrze8BI0Vn",
      },
    ],
  }),
);

/** Body of `POST /api/v1/oauth/session`. */
export const redeemSchema = lazySchema(() =>
  z
    .object({
      auth_code: z.string("invalid").min(1, "required").max(128, "too_long"),
      redirect_to: z.string("invalid").min(1, "required").max(2048, "too_long").meta({ pattern: webUrlPattern }),
      code_verifier: verifier().nullish(),
      company_id: companyId().nullish(),
    })
    .meta({
      examples: [
        {
          auth_code: "q83vEjRWeJASNFZ4mrze8BI0VniavN7wEjRWeJq83v0",
          redirect_to: "https://app.example.com/login/callback",
        },
      ],
    }),
);

/** Body of `POST /api/v1/token`. */
export const refreshSchema = lazySchema(() =>
  z
    .object({
      grant_type: z.literal("refresh_token", "invalid").optional().describe("may be in the query instead"),
      refresh_token: z.string("invalid").min(1, "required").max(512, "too_long"),
      company_id: companyId().nullish(),
    })
    .meta({ examples: [{ refresh_token }] }),
);

/** Body of `POST /api/v1/logout`. */
export const logoutSchema = lazySchema(() =>
  z
    .object({
      refresh_token: z.string("invalid").min(1, "blank").max(512, "too_long").nullish(),
      all: z.boolean("invalid").nullish(),
    })
    .meta({ examples: [{ refresh_token }, { all: true }] }),
);

/** Response of `POST /api/v1/logout`. */
export const loggedOutSchema = lazySchema(() =>
  z.object({ success: z.literal(true) }).meta({ examples: [{ success: true }] }),
);

/** The token payload. Every response that issues a session has these six fields. */
export const tokenPayloadSchema = lazySchema(() =>
  z
    .object({
      access_token: z.string(),
      refresh_token: z.string(),
      token_type: z.literal("bearer"),
      expires_in: z.int().describe("seconds"),
      expires_at: z.int().describe("unix seconds"),
      provider: z.string(),
    })
    .meta({
      id: "TokenPayload",
      examples: [
        {
          access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
          refresh_token,
          token_type: "bearer",
          expires_in: 300,
          expires_at: 1_795_253_700,
          provider: "magic_link",
        },
      ],
    }),
);
