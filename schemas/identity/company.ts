import * as z from "zod";

/** Query of an operation that takes the company there (identity details 1.2); read by `companyScope`. */
export const companyQuery = z.object({ company_id: z.string().optional() });

/** Answer of `GET /.well-known/jwks.json` (identity details 4.5). */
export const jwksSchema = z.object({
  keys: z.array(
    z.object({
      kty: z.literal("RSA"),
      use: z.literal("sig"),
      alg: z.literal("RS256"),
      kid: z.string(),
      n: z.string(),
      e: z.string(),
    }),
  ),
});
