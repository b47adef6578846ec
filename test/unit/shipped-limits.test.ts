import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { settingsTable as emailSettings } from "../../workers/email/settings";
import { settingsTable as identitySettings } from "../../workers/identity/settings";
import { readSettings } from "../../workers/kit/settings/settings";

/** Returns the variables in the `wrangler.toml` of a service. */
function readShippedVars(service: string): Record<string, string> {
  const toml = readFileSync(new URL(`../../workers/${service}/wrangler.toml`, import.meta.url), "utf8");
  const lines = toml.slice(toml.indexOf("[vars]")).matchAll(/^([A-Z_]+) = "(.*)"$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

it("configures the same limits for sign-in mails per user and company in email and identity", () => {
  const { magicLinkUser, magicLinkCompany } = readSettings(identitySettings.rates, readShippedVars("identity"));
  const { recipientAuth, companyAuth } = readSettings(emailSettings.rates, readShippedVars("email"));
  expect([magicLinkUser, magicLinkCompany]).toEqual([
    { limit: 5, windowMs: 600_000 },
    { limit: 600, windowMs: 60_000 },
  ]);
  expect([recipientAuth, companyAuth]).toEqual([magicLinkUser, magicLinkCompany]);
});
