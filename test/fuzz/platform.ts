import { managementCommands } from "../../schemas/management.ts";
import { type Service, services } from "../../scripts/support/services.ts";
import { loadSettings } from "../../scripts/support/settings-tables.ts";
import {
  changeableSettings,
  type Ports,
  updateSettings,
  writeSettingsFile,
} from "../../scripts/support/start/dev-settings.ts";
import { openWorkspace } from "../../scripts/support/start/workspace.ts";

/** A rate limit that no run reaches. */
const rate = "1000000/min";
/**
 * No host name resolves and no private address is called, so that generated URLs cause no requests to other machines.
 */
const noOutboundCalls = {
  ACTIONS_WEBHOOK_ALLOW_PRIVATE: "false",
  ACTIONS_DNS_RESOLVER_URL: "https://127.0.0.1:9/dns-query",
};
const serviceSettings: Readonly<Partial<Record<Service, Record<string, string>>>> = {
  identity: { JWT_ACCESS_TOKEN_LIFETIME: "3600s" },
  email: {
    EMAIL_ALLOW_COMPANY_SMTP: "true",
    // The company of a run is one of the first, and sends with the platform's sender, whose mail goes to the inbox of the run.
    EMAIL_PLATFORM_COMPANY_IDS: Array.from({ length: 20 }, (_, index) => index + 1).join(),
    EMAIL_BULK_RATE_PER_SECOND: "1",
    PROVIDER_API_URL: "https://127.0.0.1:9",
    EMAIL_COMPANY_AUTH_LIMIT: "0",
    EMAIL_RECIPIENT_AUTH_LIMIT: "0",
    EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "0",
    EMAIL_NEWSLETTER_IP_PER_HOUR: "0",
    EMAIL_NEWSLETTER_LIST_PER_HOUR: "0",
    EMAIL_TURNSTILE_VERIFY_URL: "https://127.0.0.1:9/siteverify",
  },
  hosting: {
    HOSTING_DEBUG_OPEN: "true",
    HOSTING_MAX_APPS_PER_COMPANY: "1000",
  },
};

/**
 * Writes the settings for a start in the folder `state`, with limits that a run does not reach. Hosting asks a resolver that listens only
 * while app_sites.py verifies a domain. Returns identity's operator key.
 */
export async function writeFuzzSettings(state: string, ports: Ports, resolverPort: number): Promise<string> {
  const { settings: files } = openWorkspace(state);
  const settings = await updateSettings(files, ports);
  const tables = await loadSettings();
  const resolver = { ACTIONS_DNS_RESOLVER_URL: `http://127.0.0.1:${resolverPort}/dns-query` };
  for (const service of services) {
    const limits = tables[service].flatMap(({ name }) => (name.includes("RATE_LIMIT") ? [[name, rate]] : []));
    writeSettingsFile(files[service], {
      ...settings[service],
      ...Object.fromEntries(limits),
      ...noOutboundCalls,
      ...serviceSettings[service],
      ...(service === "hosting" ? resolver : {}),
    });
  }
  return settings.identity.OPERATOR_KEY ?? "";
}

/** The callers and commands of a run. `hooks.py` and `catalogs.py` use these names. */
type Context = {
  base: string;
  company: number;
  person: number;
  operator: string;
  owner: string;
  staff: string;
  /** an address that company 1 may send from */
  sender: string;
  directory: string;
  /** the port at which hosting's resolver is expected */
  resolver_port: number;
  commands: typeof managementCommands;
};

/** Creates a company with an owner and a SCIM token for the run, and a staff session in company 1. */
export async function prepareContext(base: string, operator: string, resolver_port: number): Promise<Context> {
  const command = (name: string, flags: Record<string, unknown>) =>
    runCommand(`${base}/identity/api/v1/management/${name}`, operator, flags);
  const owner_email = "owner@fuzz.example";
  const redirect_origin = "https://app.fuzz.example";
  const created = await command("create_company", { name: "Fuzz", owner_email, redirect_origin });
  const company = Number(requireMatch(created, /(?<=company_id=)\d+/));
  const person = Number(requireMatch(created, /(?<=user_id=)\d+/));
  const owner = await signIn(created);
  const staff = await signIn(await command("create_sign_in_link", { email: "staff@example.com", company: 1 }));
  const directory = await createScimToken(base, owner);
  const sender = changeableSettings.email.DEFAULT_FROM_EMAIL ?? "";
  return {
    ...{ base, company, person, operator, owner, staff, sender, directory, resolver_port },
    commands: managementCommands,
  };
}

async function createScimToken(base: string, owner: string): Promise<string> {
  const headers = { authorization: `Bearer ${owner}` };
  const response = await fetch(`${base}/identity/api/v1/scim/tokens`, { method: "POST", headers });
  return requireMatch(await response.text(), /pst_[A-Za-z0-9_-]{43}/);
}

async function runCommand(url: string, bearer: string, flags: Record<string, unknown>): Promise<string> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ flags }) });
  return await response.text();
}

/** Signs in with the link that a command has printed, and returns the access token. */
async function signIn(answer: string): Promise<string> {
  const link = new URL(requireMatch(answer, /https?:[^\s"]+verify\?[^\s"]+/));
  const { token, company_id } = Object.fromEntries(link.searchParams);
  const response = await fetch(link.origin + link.pathname, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, company_id: Number(company_id) }),
  });
  return requireMatch(await response.text(), /(?<="access_token":")[^"]+/);
}

function requireMatch(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)?.[0];
  if (match === undefined) throw new Error(`Cannot create a credential for the run: ${text.slice(0, 300)}`);
  return match;
}
