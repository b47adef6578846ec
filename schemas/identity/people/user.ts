import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { isName, namePattern } from "../../text/name";
import { preferencesSchema, userPreferencesBody } from "./preferences";

/** Response of `GET|PATCH|PUT /api/v1/user`. */
export const userSchema = lazySchema(() =>
  z
    .object({
      id: z.string(),
      email: z.string(),
      app_metadata: z.object({ provider: z.string(), company_id: z.int() }),
      user_metadata: z
        .object({
          name: z.string(),
          full_name: z.string(),
          avatar_url: z.string(),
          is_staff: z.boolean(),
          is_company_owner: z.boolean(),
          platformPreferences: preferencesSchema.unwrap(),
          groups: z.array(z.string()),
          last_seen_at: z.iso.datetime().nullable(),
        })
        .loose()
        .describe("The user as the token's company sees them, together with the user's own metadata keys"),
    })
    .meta({
      id: "User",
      examples: [
        {
          id: "7",
          email: "mina@aster.example",
          app_metadata: { provider: "magic_link", company_id: 3 },
          user_metadata: {
            job_title: "Designer",
            name: "Mina Laurent",
            full_name: "Mina Laurent",
            avatar_url: "",
            is_staff: false,
            is_company_owner: true,
            platformPreferences: { themeName: "default", language: "fr", region: "Europe/Paris", colorScheme: "dark" },
            groups: [],
            last_seen_at: "2026-01-31T09:30:00.000Z",
          },
        },
      ],
    }),
);

/** Body of `PATCH /api/v1/user`. Spaces are collapsed before the length of the name is checked. */
export const userNameBody = lazySchema(() =>
  z
    .object({
      name: z
        .string("invalid")
        .trim()
        .refine(isName, "invalid")
        .overwrite((name) => name.replace(/\s+/g, " "))
        .min(1, "blank")
        .max(150, "too_long")
        .meta({ pattern: namePattern }),
    })
    .meta({ examples: [{ name: "Mina Laurent" }] }),
);

/** Body of `PUT /api/v1/user`. The keys of `data` are merged into the metadata; null removes a key. */
export const userDataBody = lazySchema(() =>
  z
    .object({ data: z.looseObject({ platformPreferences: userPreferencesBody.unwrap().optional() }, "invalid") })
    .meta({ examples: [{ data: { job_title: "Designer", platformPreferences: { colorScheme: "dark" } } }] }),
);

/** Body of `DELETE /api/v1/user`. */
export const userDeletionBody = lazySchema(() =>
  z
    .object({
      confirm: z.literal(true, "required"),
      refresh_token: z.string("invalid").max(512, "too_long").nullish(),
    })
    .meta({ examples: [{ confirm: true }] }),
);
