/** The permissions that an API token needs, by the paths that need them. */
const permissions: readonly [RegExp, string][] = [
  [/\/d1\//, "Account, D1, Edit"],
  [/\/r2\//, "Account, Workers R2 Storage, Edit"],
  [/\/queues|\/event_subscriptions/, "Account, Queues, Edit"],
  [/\/zones\/[^/]+\/workers\/routes/, "Zone, Workers Routes, Edit"],
  [/\/workers\//, "Account, Workers Scripts, Edit"],
  [/\/dns_records/, "Zone, DNS, Edit"],
  [/\/email\/sending/, "Zone, Email Sending, Edit"],
  [/\/zones/, "Zone, Zone, Read"],
  [/\/accounts/, "Account, Account Settings, Read"],
];

/** Returns a sentence with the permission that the token of a rejected call probably lacks. */
export function missingPermission(call: string): string {
  const found = permissions.find(([pattern]) => pattern.test(call));
  if (found === undefined) return ". Check CLOUDFLARE_API_TOKEN, or run npx wrangler login.";
  return `. Give the API token the permission "${found[1]}", or run npx wrangler login.`;
}
