import type { MethodDefinition } from "./method.ts";

/** A wallet of the browser. */
export const web3: MethodDefinition = {
  isDefault: () => false,
  backends: ["supabase"],
  optionsOf: () => ["web3"],
  providers: ["web3"],
  account: "account.byWallet",
};
