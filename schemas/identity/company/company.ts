import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** Response of `GET /.well-known/jwks.json`. */
export const jwksSchema = lazySchema(() =>
  z
    .object({
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
    })
    .meta({
      examples: [
        {
          keys: [
            {
              kty: "RSA",
              use: "sig",
              alg: "RS256",
              kid: "cBW3v2dW0o8mQeJ1Jm8u0z3Q9r5s7t1v2x4y6A8B0C2",
              n: "sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1Wl",
              e: "AQAB",
            },
          ],
        },
      ],
    }),
);
