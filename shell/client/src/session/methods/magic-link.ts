import type { MethodDefinition } from "./method.ts";

export const magicLink: MethodDefinition = {
  isDefault: () => true,
  backends: ["platform", "supabase"],
  optionsOf: () => ["link"],
  providers: ["magic_link", "email"],
  account: "account.byLink",
};
