import type { MethodDefinition } from "./method.ts";

/** Sign-in with the browser's wallet. */
export const web3: MethodDefinition = {
  isDefault: () => false,
  backends: ["supabase"],
  optionsOf: () => ["web3"],
  providers: ["web3"],
  account: "account.byWallet",
};
