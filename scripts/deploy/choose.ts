import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Service, services } from "../support/services.ts";
import type { Cloudflare } from "./cloudflare/client.ts";
import { mailTransports, type Options, parseAddress, parseHost, UsageError } from "./options.ts";
import type { Prompts } from "./prompts.ts";
import type { DeploymentRecord, MailTransport } from "./record.ts";

type Named = { id: string; name: string };

/** Returns the only entry, the wanted one, or the one that the user selects. */
async function pick(
  { flag, label }: { flag: string; label: string },
  all: Named[],
  wanted: string | undefined,
  prompts: Prompts | null,
): Promise<Named> {
  const found = all.find(({ id, name }) => id === wanted || name === wanted);
  if (found !== undefined) return found;
  const names = all.map(({ name, id }) => `${name} (${id})`).join(", ") || "none";
  if (wanted !== undefined)
    throw new UsageError(`${flag} ${wanted} is none of those that the token can use: ${names}.`);
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  if (prompts === null || only === undefined) throw new UsageError(`Choose one with ${flag}: ${names}.`);
  const id = await prompts.select(
    label,
    all.map((entry) => ({ value: entry.id, label: entry.name })),
  );
  return all.find((entry) => entry.id === id) ?? only;
}

/** Returns the value of an option, or asks for it with a suggestion. */
async function ask(
  prompts: Prompts | null,
  {
    flag,
    label,
    value,
    suggestion = "",
    parse,
  }: {
    flag: string;
    label: string;
    value: string | undefined;
    suggestion?: string;
    parse: (flag: string, text: string) => string;
  },
): Promise<string> {
  if (value !== undefined) return value;
  if (prompts === null) {
    if (suggestion !== "") return suggestion;
    throw new UsageError(`${flag} is required.`);
  }
  const validate = (text: string) => {
    try {
      parse(flag, text);
      return undefined;
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).replace(`${flag} takes`, "Enter");
    }
  };
  return parse(flag, await prompts.text(label, suggestion, validate));
}

/** Returns a text without spaces around it. Throws a UsageError if it is empty. */
function parseText(flag: string, text: string): string {
  if (text.trim() === "") throw new UsageError(`${flag} takes a text.`);
  return text.trim();
}

/** The setting of the email service with the address of a transport, and what it is called. */
const endpoints: Partial<Record<MailTransport, { setting: string; label: string }>> = {
  api: { setting: "PROVIDER_API_URL", label: "URL of the provider's API" },
  smtp: { setting: "EMAIL_HOST", label: "Host of the SMTP server" },
};

const transportLabels: Record<MailTransport, string> = {
  cloudflare: "Cloudflare's Email Service, without another vendor",
  api: "the HTTP API of a mail provider (key in PROVIDER_API_KEY)",
  smtp: "an SMTP server (password in EMAIL_HOST_PASSWORD)",
};

async function chooseTransport({ mail }: Options, prompts: Prompts | null): Promise<MailTransport> {
  if (mail !== undefined) return mail;
  if (prompts === null) return "cloudflare";
  return (await prompts.select(
    "How the platform sends its mail",
    mailTransports.map((value) => ({ value, label: transportLabels[value] })),
  )) as MailTransport;
}

/**
 * Returns the path of the copy of the secrets: that of the option, or the one that the user chooses in the first run. Null for no
 * copy.
 */
export async function chooseCopy(
  { secretsFile, name }: Options,
  former: DeploymentRecord | null,
  prompts: Prompts | null,
): Promise<string | null> {
  if (secretsFile !== null || former !== null || prompts === null) return secretsFile;
  const validate = (path: string) =>
    existsSync(dirname(resolve(path.trim()))) ? undefined : "Enter a path in a folder that exists.";
  const label = "File for a copy of the secrets, which nobody can read in the account later (empty: no copy)";
  const path = (await prompts.text(label, join(homedir(), `${name}-secrets.json`), validate)).trim();
  return path === "" ? null : path;
}

/** Returns the hosts: one for all services, or one for each. */
function hostsOf(chosen: Record<string, string>, domain: string): DeploymentRecord["hosts"] {
  if (chosen.all !== undefined) return { all: chosen.all };
  return Object.fromEntries(services.map((service) => [service, chosen[service] ?? `${service}.${domain}`])) as Record<
    Service,
    string
  >;
}

/** Returns the hosts of the options, or those that the user chooses. */
async function chooseHosts(options: Options, domain: string, prompts: Prompts | null) {
  if (prompts === null || Object.keys(options.hosts).length > 0) return hostsOf(options.hosts, domain);
  const layout = await prompts.select("Public addresses of the services", [
    { value: "each", label: services.map((service) => `${service}.${domain}`).join(", ") },
    { value: "one", label: `one host, with a path for each service: platform.${domain}/identity, …` },
  ]);
  if (layout === "each") return hostsOf({}, domain);
  const all = await ask(prompts, {
    flag: "--host",
    label: "Host of all services",
    value: undefined,
    suggestion: `platform.${domain}`,
    parse: (flag, text) => {
      const host = parseHost(flag, text);
      requireInside(flag, host, domain);
      return host;
    },
  });
  return hostsOf({ all }, domain);
}

function requireInside(option: string, host: string, domain: string): void {
  if (host === domain || host.endsWith(`.${domain}`)) return;
  throw new UsageError(`${option} ${host} is not in the domain ${domain}.`);
}

/**
 * Returns what to deploy: the record of earlier runs with the given options, or a new record whose missing values are asked for.
 */
export async function chooseDeployment(
  api: Cloudflare,
  options: Options,
  former: DeploymentRecord | null,
  prompts: Prompts | null,
): Promise<DeploymentRecord> {
  const settings = { ...former?.settings };
  for (const [worker, values] of Object.entries(options.settings)) {
    settings[worker as Service] = { ...settings[worker as Service], ...values };
  }
  if (former !== null) {
    const fixed = [
      ["--account", options.account, former.account],
      ["--domain", options.domain, former.zone.name],
    ] as const;
    for (const [flag, given, recorded] of fixed) {
      if (given === undefined || given === recorded) continue;
      throw new UsageError(`${flag} of the deployment ${former.name} is ${recorded}. Use another --name for ${given}.`);
    }
    const { from = former.from, mail = former.mail, apps = former.apps, origin = former.origin } = options;
    const hosts = Object.keys(options.hosts).length === 0 ? former.hosts : hostsOf(options.hosts, former.zone.name);
    return check({ ...former, from, mail, apps, origin, hosts, settings });
  }
  const accounts = await api.list<Named>("/accounts");
  const account = await pick({ flag: "--account", label: "Cloudflare account" }, accounts, options.account, prompts);
  const zones = await api.list<Named>("/zones", { "account.id": account.id });
  const zone = await pick({ flag: "--domain", label: "Domain" }, zones, options.domain, prompts);
  const hosts = await chooseHosts(options, zone.name, prompts);
  const from = await ask(prompts, {
    flag: "--from",
    label: "Sender address of the platform's mail",
    value: options.from,
    suggestion: `no-reply@${zone.name}`,
    parse: parseAddress,
  });
  const mail = await chooseTransport(options, prompts);
  const endpoint = endpoints[mail];
  if (endpoint !== undefined) {
    const { setting, label } = endpoint;
    const value = settings.email?.[setting];
    const chosen = await ask(prompts, { flag: `--set email.${setting}=`, label, value, parse: parseText });
    settings.email = { ...settings.email, [setting]: chosen };
  }
  const company = await ask(prompts, {
    flag: "--company",
    label: "Name of the first company",
    value: options.company,
    parse: parseText,
  });
  const owner = await ask(prompts, {
    flag: "--owner",
    label: "Email address of its owner",
    value: options.owner,
    parse: parseAddress,
  });
  const staff = await ask(prompts, {
    flag: "--staff",
    label: "Email address of the first staff member, who has access to all companies",
    value: options.staff,
    suggestion: owner,
    parse: parseAddress,
  });
  return check({
    name: options.name,
    account: account.id,
    zone: { id: zone.id, name: zone.name },
    hosts,
    apps: options.apps ?? null,
    mail,
    from,
    company,
    owner,
    staff,
    origin: options.origin ?? `https://${zone.name}`,
    settings,
    databases: {},
    secrets: {},
    release: null,
  });
}

/** Throws a UsageError if hosts or the sender do not belong to the domain of the deployment. */
function check(record: DeploymentRecord): DeploymentRecord {
  const { zone, hosts, apps, mail, from } = record;
  for (const host of Object.values(hosts)) requireInside("--host", host, zone.name);
  if (apps !== null) requireInside("--apps-domain", apps, zone.name);
  if (mail === "cloudflare") requireInside("--from", from.slice(from.lastIndexOf("@") + 1), zone.name);
  return record;
}
