import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { webUrlPattern } from "../../text/web-url";
import { linkRequestSchema } from "./magic-link";

/** Query of `GET /api/v1/authorize` without `company_id`. */
export const authorizeSchema = lazySchema(() => {
  const { redirect_to, client_timezone, client_device_id, token_delivery, code_challenge, code_challenge_method } =
    linkRequestSchema.unwrap().shape;
  return z
    .object({
      redirect_to,
      provider: z.string().max(64, "too_long").optional(),
      company_oauth_client_id: z.string().max(64, "too_long").optional(),
      client_timezone,
      client_device_id,
      token_delivery,
      code_challenge,
      code_challenge_method,
      switch_account: z.enum(["1", "true", "0", "false", ""], "invalid").optional(),
    })
    .refine((query) => !(query.code_challenge_method && !query.code_challenge), {
      path: ["code_challenge"],
      error: "required",
    });
});

/** Query of `GET /api/v1/authorize` in the OpenAPI document. */
export const authorizeQuery = lazySchema(() =>
  z.object({
    company_id: z.string().meta({ examples: [1] }),
    redirect_to: z
      .string()
      .min(1)
      .max(2048)
      .regex(new RegExp(webUrlPattern))
      .meta({ examples: ["https://app.aster.example/login/callback"] }),
    provider: z
      .string()
      .max(64)
      .optional()
      .meta({
        description: "provider id; without it the response is a page to choose a provider",
        examples: ["google", "oidc-acme"],
      }),
    company_oauth_client_id: z.string().max(64).optional(),
    client_timezone: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9_+/-]*$/)
      .optional()
      .meta({ examples: ["Europe/Paris"] }),
    client_device_id: z.string().max(128).optional(),
    token_delivery: z.enum(["code", "fragment"]).optional(),
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .optional(),
    code_challenge_method: z.literal("S256").optional(),
    switch_account: z.enum(["1", "true"]).optional(),
    language: z
      .enum(["en", "fr"])
      .optional()
      .meta({ description: "language of the page; by default the one of the browser" }),
  }),
);

/**
 * Query of `GET /api/v1/oauth/callback` in the OpenAPI document: the values from the provider, or only the state after a form
 * post.
 */
export const callbackQuery = lazySchema(() =>
  z.object({
    state: z.string(),
    code: z.string().optional(),
    error: z.string().optional(),
    iss: z.string().optional(),
  }),
);

/** Form of `POST /api/v1/oauth/callback` in the OpenAPI document. Apple posts it. */
export const callbackForm = lazySchema(() =>
  z
    .object({
      state: z.string(),
      code: z.string().optional(),
      error: z.string().optional(),
      user: z.string().optional(),
    })
    .meta({
      examples: [{ state: "q83vEjRWeJASNFZ4mrze8BI0VniavN7wEjRWeJq83v0", code: "c0d1e2f3a4b5.0.example" }],
    }),
);
