import { parseArgs } from "node:util";
import { isAddress } from "../../schemas/text/address.ts";
import { type Worker, workers } from "../support/services.ts";
import { defaultName, nameProblem } from "./names.ts";
import type { MailTransport } from "./record.ts";

/** What a call of the command does. */
export type Action = "deploy" | "check" | "rollback" | "destroy" | "dry-run";

/** The options of `npm run deploy`. Absent values come from the record of the deployment, or are asked for. */
export type Options = {
  action: Action;
  /** the command line, with which an interrupted run continues */
  args: readonly string[];
  name: string;
  /** the name was given and is not the default */
  isNamed: boolean;
  yes: boolean;
  account?: string;
  domain?: string;
  /** the host of each service by service name, or `all` */
  hosts: Record<string, string>;
  apps?: string;
  mail?: MailTransport;
  from?: string;
  company?: string;
  owner?: string;
  staff?: string;
  origin?: string;
  secretsFile: string | null;
  settings: Partial<Record<Worker, Record<string, string>>>;
};

export const mailTransports: readonly MailTransport[] = ["cloudflare", "api", "smtp"];

export const usage = `npm run deploy -- [options]      creates or upgrades a deployment in your Cloudflare account
  --name <name>             name of the deployment (platform)
  --account <id>            Cloudflare account
  --domain <domain>         domain of the account, such as example.com
  --host <host>             one host for all services, which are paths of it; default: identity.<domain>, email.<domain>, …
  --host <service>=<host>   host of one service; can be repeated
  --apps-domain <domain>    domain of the apps that companies host; default: no apps
  --mail <transport>        cloudflare, api (with --set email.PROVIDER_API_URL=…) or smtp (with --set email.EMAIL_HOST=…)
  --from <address>          sender of the platform's mail
  --company <name>          name of the first company
  --owner <address>         its owner
  --staff <address>         the first account with access to all companies; default: the owner
  --origin <url>            first origin to which sign-in may redirect; default: https://<domain>
  --set <worker>.<NAME>=<value>   a further setting of docs/settings.md; can be repeated
  --secrets-file <path>     keeps a copy of the secrets in this file, and takes them from it; only the first run can write a
                            complete copy, because nobody can read the secrets in the account
  --yes                     do not ask before changing the account
  --check                   compare the account with the deployment, change nothing; exit code 1 if something is wrong
  --rollback                restore the versions of the Workers from before the last run
  --destroy                 delete everything of the deployment
  --dry-run                 build what would be uploaded and print its size; needs no account
CLOUDFLARE_API_TOKEN replaces the sign-in of npx wrangler login. Secrets of the mail provider come from the environment variables
PROVIDER_API_KEY, PROVIDER_WEBHOOK_SECRET and EMAIL_HOST_PASSWORD.`;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/;

/** Returns a host name in lower case. Throws a UsageError that names the option. */
export function parseHost(option: string, text: string): string {
  const host = text.trim().toLowerCase();
  if (!HOST.test(host)) throw new UsageError(`${option} takes a host name such as example.com, not "${text}".`);
  return host;
}

/** Returns an email address in lower case. Throws a UsageError that names the option. */
export function parseAddress(option: string, text: string): string {
  const address = text.trim().toLowerCase();
  if (!isAddress(address)) throw new UsageError(`${option} takes an email address, not "${text}".`);
  return address;
}

function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.pathname !== "/" || url.search !== "") {
    throw new UsageError(`--origin takes an origin such as https://app.example.com, not "${text}".`);
  }
  return url.origin;
}

function parseHosts(texts: readonly string[]): Record<string, string> {
  const entries = texts.map((text): [string, string] => {
    const [left = "", right] = text.split("=", 2);
    if (right === undefined) return ["all", parseHost("--host", left)];
    if (left === "edge" || !workers.includes(left as Worker)) {
      throw new UsageError(`--host takes <host> or <service>=<host>; "${left}" is no service.`);
    }
    return [left, parseHost("--host", right)];
  });
  const hosts = Object.fromEntries(entries);
  if ("all" in hosts && entries.length > 1) throw new UsageError("--host takes one host, or hosts of services.");
  return hosts;
}

function parseSettings(texts: readonly string[]): Options["settings"] {
  const settings: Partial<Record<Worker, Record<string, string>>> = {};
  for (const text of texts) {
    const [, worker, name, value = ""] = /^([a-z]+)\.([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || !workers.includes(worker as Worker)) {
      throw new UsageError(
        `--set takes <worker>.<NAME>=<value>, such as email.EMAIL_HOST=smtp.example.com, not "${text}".`,
      );
    }
    settings[worker as Worker] = { ...settings[worker as Worker], [name]: value };
  }
  return settings;
}

function parseTransport(text: string): MailTransport {
  const found = mailTransports.find((transport) => transport === text);
  if (found === undefined) throw new UsageError(`--mail takes ${mailTransports.join(", ")}, not "${text}".`);
  return found;
}

/** Parses the command line. Returns null for --help. Throws a UsageError. */
export function parseOptions(args: string[]): Options | null {
  let values: ReturnType<typeof parseFlags>;
  try {
    values = parseFlags(args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return null;
  const { name = defaultName } = values;
  const problem = nameProblem(name);
  if (problem !== null) throw new UsageError(problem);
  const { account, domain, company, mail, from, owner, staff, origin } = values;
  const apps = values["apps-domain"];
  return {
    action: actionOf(values),
    args,
    name,
    isNamed: values.name !== undefined,
    yes: values.yes,
    hosts: parseHosts(values.host),
    settings: parseSettings(values.set),
    secretsFile: values["secrets-file"] ?? null,
    ...(account !== undefined && { account }),
    ...(company !== undefined && { company: company.trim() }),
    ...(domain !== undefined && { domain: parseHost("--domain", domain) }),
    ...(apps !== undefined && { apps: parseHost("--apps-domain", apps) }),
    ...(mail !== undefined && { mail: parseTransport(mail) }),
    ...(from !== undefined && { from: parseAddress("--from", from) }),
    ...(owner !== undefined && { owner: parseAddress("--owner", owner) }),
    ...(staff !== undefined && { staff: parseAddress("--staff", staff) }),
    ...(origin !== undefined && { origin: parseOrigin(origin) }),
  };
}

/** Returns the action that the flags select. Throws a UsageError for several. */
function actionOf(flags: Record<Exclude<Action, "deploy">, boolean>): Action {
  const actions = (["check", "rollback", "destroy", "dry-run"] as const).filter((action) => flags[action]);
  if (actions.length > 1) throw new UsageError(`Choose one of --${actions.join(" and --")}.`);
  return actions[0] ?? "deploy";
}

function parseFlags(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  return parseArgs({
    args,
    options: {
      name: text,
      account: text,
      domain: text,
      host: { type: "string", multiple: true, default: [] },
      "apps-domain": text,
      mail: text,
      from: text,
      company: text,
      owner: text,
      staff: text,
      origin: text,
      set: { type: "string", multiple: true, default: [] },
      "secrets-file": text,
      yes: flag,
      check: flag,
      rollback: flag,
      destroy: flag,
      "dry-run": flag,
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}
