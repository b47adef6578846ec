import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema } from "../../text/text";

const example = { themeName: "default", language: "fr", region: "Europe/Paris", colorScheme: "dark" };

/** Response of `GET|PUT /api/v1/preferences`. */
export const preferencesSchema = lazySchema(() =>
  z
    .object({
      themeName: z.string(),
      language: z.string(),
      region: z.string(),
      colorScheme: z.string(),
    })
    .meta({ id: "Preferences", examples: [example] }),
);

/** Body of `PUT /api/v1/preferences`, and `platformPreferences` in `PUT /api/v1/user`. Missing fields keep their values. */
export const preferencesBody = lazySchema(() =>
  z
    .object(
      {
        themeName: lineSchema(100).optional(),
        language: z.enum(["en", "fr"], "invalid").optional(),
        region: lineSchema(64).optional(),
        colorScheme: z.enum(["light", "dark", "system"], "invalid").optional(),
      },
      "invalid",
    )
    .meta({ examples: [{ language: "fr", colorScheme: "dark" }] }),
);

export type PreferencesChange = z.output<typeof preferencesBody>;
