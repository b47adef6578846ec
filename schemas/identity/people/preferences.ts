import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema } from "../../text/text";

const example = { themeName: "default", language: "fr", region: "Europe/Paris", colorScheme: "dark" };

const stored = () => ({
  themeName: z.string(),
  language: z.string(),
  region: z.string(),
  colorScheme: z.string(),
});

const changes = () => ({
  themeName: lineSchema(100).optional(),
  language: z.enum(["en", "fr"], "invalid").optional(),
  region: lineSchema(64).optional(),
  colorScheme: z.enum(["light", "dark", "system"], "invalid").optional(),
});

/** `platformPreferences` of users and access tokens. They do not contain the pinned places, which would make tokens longer. */
export const preferencesSchema = lazySchema(() => z.object(stored()).meta({ id: "Preferences", examples: [example] }));

/** Response of `GET|PUT /api/v1/preferences`. */
export const storedPreferencesSchema = lazySchema(() =>
  z
    .object({ ...stored(), pinned: z.array(z.string()).describe("Paths of the pinned places, in their order") })
    .meta({ id: "StoredPreferences", examples: [{ ...example, pinned: ["orders"] }] }),
);

/** `platformPreferences` in `PUT /api/v1/user`. Missing fields keep their values. */
export const userPreferencesBody = lazySchema(() => z.object(changes(), "invalid"));

/** Body of `PUT /api/v1/preferences`. Missing fields keep their values; `pinned` replaces the stored list. */
export const preferencesBody = lazySchema(() =>
  z
    .object(
      {
        ...changes(),
        pinned: z
          .array(lineSchema(200, { blank: true }), "invalid")
          .max(50, "too_many")
          .optional(),
      },
      "invalid",
    )
    .meta({ examples: [{ language: "fr", colorScheme: "dark" }] }),
);

export type PreferencesChange = z.output<typeof preferencesBody>;
