import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { pageSchema } from "../page";

/** Body of `POST apps/{app}/domains`. */
export const newDomainBody = lazySchema(() =>
  z
    .object({
      hostname: z
        .string("invalid")
        .max(1000, "too_long")
        .describe("at most 235 characters in ASCII; internationalized names are converted to ASCII"),
    })
    .meta({ id: "NewDomain", examples: [{ hostname: "notes.example.com" }] }),
);

/** The path parameters that name a domain of an app. */
export const domainParams = lazySchema(() =>
  z.object({ app: z.string().meta({ pattern: "^[a-z0-9][a-z0-9-]{2,62}$", example: "field-notes" }), id: z.uuid() }),
);

const record = () => z.object({ type: z.enum(["TXT", "CNAME"]), name: z.string(), value: z.string() });

/** A custom domain of an app. */
export const domainSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      app_id: z.uuid(),
      hostname: z.string(),
      state: z
        .enum(["pending", "verified", "failed"])
        .describe("only a `verified` domain is served; `failed` ones are checked only on request"),
      error: z
        .enum(["no_record", "no_answer", "hostname_taken"])
        .nullable()
        .describe("why the last check did not prove the domain"),
      is_registered: z
        .boolean()
        .nullable()
        .describe("whether the provider of the certificates has the domain; null without a provider"),
      records: z.array(record()).describe("the DNS records that the domain needs"),
      checked_at: z.iso.datetime().nullable(),
      next_check_at: z.iso.datetime().nullable(),
      verified_at: z.iso.datetime().nullable(),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
      urls: z.object({ url: z.url() }).optional().describe("present while the domain is verified"),
    })
    .meta({
      id: "AppDomain",
      examples: [
        {
          id: "0199c2f4-5c1e-7a40-8f11-3d5e7f9a1b2c",
          app_id: "0199c2f4-4b0d-7a40-8f11-3d5e7f9a1b2c",
          hostname: "notes.example.com",
          state: "pending",
          error: "no_record",
          is_registered: null,
          records: [
            {
              type: "TXT",
              name: "_platform-hosting.notes.example.com",
              value: "platform-hosting=Zk3v0m1Yw2Qb7c9dJt5hLr8xPn4sUa6e",
            },
            { type: "CNAME", name: "notes.example.com", value: "k7m2p9q4r8st.apps.example.com" },
          ],
          checked_at: "2026-11-28T09:31:00.000Z",
          next_check_at: "2026-11-28T09:33:00.000Z",
          verified_at: null,
          created_at: "2026-11-28T09:30:00.000Z",
          updated_at: "2026-11-28T09:31:00.000Z",
        },
      ],
    }),
);

/** A page of the domains of an app. */
export const domainPageSchema = pageSchema(domainSchema);

export type PublicDomain = z.output<ReturnType<typeof domainSchema.unwrap>>;
