import { type Service, services } from "../support/services.ts";
import type { Cloudflare } from "./cloudflare/client.ts";
import { mailTransports, type Options, parseAddress, UsageError } from "./options.ts";
import type { Prompts } from "./prompts.ts";
import type { DeploymentRecord, MailTransport } from "./record.ts";

type Named = { id: string; name: string };

/** Returns the only entry, the wanted one, or the one that the user selects. */
async function pick(flag: string, all: Named[], wanted: string | undefined, prompts: Prompts | null): Promise<Named> {
  const found = all.find(({ id, name }) => id === wanted || name === wanted);
  if (found !== undefined) return found;
  const names = all.map(({ name, id }) => `${name} (${id})`).join(", ") || "none";
  if (wanted !== undefined)
    throw new UsageError(`${flag} ${wanted} is none of those that the token can use: ${names}.`);
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  if (prompts === null || only === undefined) throw new UsageError(`Choose one with ${flag}: ${names}.`);
  const id = await prompts.select(
    flag.slice(2),
    all.map((entry) => ({ value: entry.id, label: entry.name })),
  );
  return all.find((entry) => entry.id === id) ?? only;
}

/** Returns the value of an option, or asks for it with a suggestion. */
async function ask(
  prompts: Prompts | null,
  {
    flag,
    value,
    suggestion = "",
    parse,
  }: { flag: string; value: string | undefined; suggestion?: string; parse: (text: string) => string },
): Promise<string> {
  if (value !== undefined) return value;
  if (prompts === null) {
    if (suggestion !== "") return suggestion;
    throw new UsageError(`${flag} is required.`);
  }
  const validate = (text: string) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  return parse(await prompts.text(flag.slice(2), suggestion, validate));
}

/** Returns a function that trims a text and rejects an empty one. */
const requireText =
  (flag: string) =>
  (text: string): string => {
    if (text.trim() === "") throw new UsageError(`${flag} takes a text.`);
    return text.trim();
  };

/** The setting of the email service with the address of a transport. */
const endpoints: Partial<Record<MailTransport, string>> = { api: "PROVIDER_API_URL", smtp: "EMAIL_HOST" };

async function chooseTransport(options: Options, prompts: Prompts | null, known: readonly MailTransport[]) {
  if (options.mail !== undefined) return options.mail;
  const [first = "smtp"] = known;
  if (prompts === null) return first;
  return (await prompts.select(
    "mail transport",
    known.map((value) => ({ value, label: value })),
  )) as MailTransport;
}

/** Returns the hosts: one for all services, or one for each. */
function hostsOf(chosen: Record<string, string>, domain: string): DeploymentRecord["hosts"] {
  if (chosen.all !== undefined) return { all: chosen.all };
  return Object.fromEntries(services.map((service) => [service, chosen[service] ?? `${service}.${domain}`])) as Record<
    Service,
    string
  >;
}

function requireInside(option: string, host: string, domain: string): void {
  if (host === domain || host.endsWith(`.${domain}`)) return;
  throw new UsageError(`${option} ${host} is not in the domain ${domain}.`);
}

/**
 * Returns what to deploy: the record of earlier runs with the given options, or a new record whose missing values are asked for.
 * `withCloudflareMail`: this release can send with Cloudflare's Email Service.
 */
export async function chooseDeployment(
  api: Cloudflare,
  options: Options,
  former: DeploymentRecord | null,
  { prompts, withCloudflareMail }: { prompts: Prompts | null; withCloudflareMail: boolean },
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
  const account = await pick("--account", await api.list<Named>("/accounts"), options.account, prompts);
  const zones = await api.list<Named>("/zones", { "account.id": account.id });
  const zone = await pick("--domain", zones, options.domain, prompts);
  const known = mailTransports.filter((transport) => transport !== "cloudflare" || withCloudflareMail);
  const suggestion = `no-reply@${zone.name}`;
  const from = await ask(prompts, {
    flag: "--from",
    value: options.from,
    suggestion,
    parse: (text) => parseAddress("--from", text),
  });
  const mail = await chooseTransport(options, prompts, known);
  const company = await ask(prompts, { flag: "--company", value: options.company, parse: requireText("--company") });
  const owner = await ask(prompts, {
    flag: "--owner",
    value: options.owner,
    parse: (text) => parseAddress("--owner", text),
  });
  const staff = await ask(prompts, {
    flag: "--staff",
    value: options.staff,
    suggestion: owner,
    parse: (text) => parseAddress("--staff", text),
  });
  if (!known.includes(mail)) throw new UsageError(`--mail takes ${known.join(", ")} in this release.`);
  const endpoint = endpoints[mail];
  if (endpoint !== undefined) {
    const flag = `--set email.${endpoint}=`;
    const value = await ask(prompts, { flag, value: settings.email?.[endpoint], parse: requireText(flag) });
    settings.email = { ...settings.email, [endpoint]: value };
  }
  return check({
    name: options.name,
    account: account.id,
    zone: { id: zone.id, name: zone.name },
    hosts: hostsOf(options.hosts, zone.name),
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
