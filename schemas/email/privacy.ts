import * as z from "zod";
import { addressPattern } from "../address";
import { lazySchema } from "../lazy-schema";

/** Body of `POST /api/v1/privacy/erase`; the rules of addresses are checked after this shape. */
export const eraseBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid"),
      email: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }),
    })
    .meta({ examples: [{ company_id: 3, email: "mina@aster.example" }] }),
);

/** Answer of an erasure. */
export const erasedSchema = lazySchema(() =>
  z
    .object({
      deleted_messages: z.int().describe("all that were there, those included whose deletion goes on"),
      email_masked: z.string(),
    })
    .meta({ examples: [{ deleted_messages: 4, email_masked: "m***@aster.example" }] }),
);
