import * as z from "zod";
import type { MethodFields } from "./method";

export const magicLink = {
  settings: () => ({
    enable_magic_link: z.boolean(),
    sign_in_code: z.boolean(),
    magic_link_ttl_seconds: z
      .int()
      .optional()
      .describe("lifetime of a link and its code in seconds, when magic links are enabled"),
  }),
  authMethods: () => ({
    enable_magic_link: z.boolean(),
    magic_link_effective: z.boolean(),
    magic_link_globally_enabled: z.boolean(),
  }),
  flags: () => ({ enable_magic_link: z.boolean("invalid").optional() }),
  examples: {
    settings: { enable_magic_link: true, sign_in_code: true, magic_link_ttl_seconds: 1800 },
    authMethods: { enable_magic_link: true, magic_link_effective: true, magic_link_globally_enabled: true },
  },
} satisfies MethodFields;
