import { findOverlappingHost, serviceHostsOf } from "../../schemas/hosting/app-domain";
import { issuerTable } from "../kit/auth/issuer";
import { jobTable, readJobSettings } from "../kit/jobs/settings";
import { mutationRate, serviceTable } from "../kit/service-settings";
import { baseUrl, choice, flag, hours, integer, list, rate, size, text } from "../kit/settings/setting-types";
import { oncePerIsolate, readSettings, SettingError, type SettingsTable } from "../kit/settings/settings";
import { emailPostTable, webhookTable } from "../kit/webhooks/settings";
import type { HostingBindings } from "./bindings";
import { domainOfApps } from "./setting-types";

/** Where apps are served. */
const appTable = {
  domain: {
    name: "HOSTING_APP_DOMAIN",
    type: domainOfApps,
    default: { shown: "none, with `DEBUG` `localhost`", text: (_textOf, { debug }) => (debug ? "localhost" : "none") },
    meaning:
      "Domain of the apps, with a port if it is not that of the scheme: an app is served at `{slug}.{domain}`. `none`: no apps",
  },
  serviceDomains: {
    name: "SERVICE_DOMAINS",
    type: list,
    default: "",
    meaning:
      "Domains with the hosts `identity.…`, `email.…`, `hosting.…` and `storage.…`, as at the edge. `HOSTING_APP_DOMAIN` must neither be nor contain nor be contained in one of these hosts or the host of `IDENTITY_ISSUER`; with `DEBUG`, `localhost` may",
  },
  scheme: {
    name: "HOSTING_APP_SCHEME",
    type: choice("https", "http"),
    default: { shown: "`https`, with `DEBUG` `http`", text: (_textOf, { debug }) => (debug ? "http" : "https") },
    meaning: "Scheme of the addresses of apps",
  },
  skewMs: {
    name: "HOSTING_SKEW_HOURS",
    type: hours(0, 168),
    default: "24",
    meaning: "Hours for which an open tab still gets the assets of a deployment that is no longer live",
  },
} as const satisfies SettingsTable;

/** The limits of apps and deployments; sizes are in bytes. */
const limitTable = {
  isOpen: {
    name: "HOSTING_DEBUG_OPEN",
    type: flag,
    default: "false",
    meaning: "With `DEBUG`, companies may host apps without the approval of staff; has no effect without `DEBUG`",
  },
  apps: {
    name: "HOSTING_MAX_APPS_PER_COMPANY",
    type: integer(1, 1000),
    default: "5",
    meaning: "Maximum number of apps of a company, including previews that have not expired",
  },
  deployments: {
    name: "HOSTING_MAX_DEPLOYMENTS_PER_APP",
    type: integer(2, 100),
    default: "20",
    meaning: "Maximum number of deployments of an app; a new one removes the oldest that is neither live nor pinned",
  },
  uploadBytes: {
    name: "HOSTING_MAX_UPLOAD_BYTES",
    type: size(1),
    default: "95M",
    meaning: "Maximum size of an uploaded archive or file",
  },
  files: {
    name: "HOSTING_MAX_FILES",
    type: integer(1, 20_000),
    default: "5000",
    meaning: "Maximum number of files of a deployment",
  },
  totalBytes: {
    name: "HOSTING_MAX_TOTAL_BYTES",
    type: size(1),
    default: "500M",
    meaning: "Maximum size of all files of a deployment",
  },
  previewDays: {
    name: "HOSTING_PREVIEW_TTL_DAYS",
    type: integer(1, 365),
    default: "7",
    meaning: "Days until a preview expires; a renewal starts them again",
  },
} as const satisfies SettingsTable;

/** Custom domains, and the provider that makes their certificates. */
const domainTable = {
  max: {
    name: "HOSTING_MAX_DOMAINS_PER_APP",
    type: integer(1, 100),
    default: "5",
    meaning: "Maximum number of custom domains of an app",
  },
  cloudflareToken: {
    name: "CLOUDFLARE_API_TOKEN",
    type: text,
    default: "",
    secret: "given",
    meaning:
      "API token of Cloudflare with the permission to edit custom hostnames (SSL and Certificates) of the zone. Blank: verified domains are not registered at Cloudflare",
  },
  cloudflareZone: {
    name: "CLOUDFLARE_ZONE_ID",
    type: text,
    default: "",
    meaning: "Zone in which custom hostnames are registered; required with `CLOUDFLARE_API_TOKEN`",
  },
  cloudflareUrl: {
    name: "CLOUDFLARE_API_URL",
    type: baseUrl,
    default: "https://api.cloudflare.com/client/v4",
    meaning: "Base URL of Cloudflare's API",
  },
} as const satisfies SettingsTable;

/** The rate limits of write requests, each per user. */
const rateTable = {
  mutation: mutationRate,
  deploy: { name: "HOSTING_DEPLOY_RATE_LIMIT", type: rate, default: "30/min", meaning: "New deployments, per user" },
  upload: {
    name: "HOSTING_UPLOAD_RATE_LIMIT",
    type: rate,
    default: "20/min",
    meaning: "Uploads of archives, per user",
  },
  remove: {
    name: "HOSTING_DELETE_RATE_LIMIT",
    type: rate,
    default: "10/min",
    meaning: "Deletions of apps and deployments, per user",
  },
  access: {
    name: "HOSTING_ACCESS_RATE_LIMIT",
    type: rate,
    default: "10/5min",
    meaning: "Requests for permission to host apps, per user",
  },
} as const satisfies SettingsTable;

/** The variables of hosting. */
export const settingsTable = {
  ...serviceTable,
  jobs: jobTable,
  webhooks: { ...webhookTable, email: emailPostTable },
  identity: issuerTable,
  apps: appTable,
  limits: limitTable,
  domains: domainTable,
  rates: rateTable,
} as const satisfies SettingsTable;

/**
 * Returns the settings of hosting; times are in milliseconds. Throws a SettingError that names the invalid setting, or
 * a DeploymentError.
 */
export const settingsOf = oncePerIsolate((env: HostingBindings) => {
  const jobs = readJobSettings(env, { queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] });
  const settings = { ...readSettings(settingsTable, env), jobs };
  if (settings.domains.cloudflareToken !== "" && !/^[0-9a-f]{32}$/.test(settings.domains.cloudflareZone)) {
    throw new SettingError("CLOUDFLARE_ZONE_ID", "32 hexadecimal digits, because CLOUDFLARE_API_TOKEN is set");
  }
  const { domain, serviceDomains } = settings.apps;
  const isLocal = /^(?:.+\.)?localhost(?::\d+)?$/u.test(domain ?? "");
  if (domain === null || (settings.debug && isLocal)) return settings;
  const hosts = serviceHostsOf(serviceDomains);
  const issuerHost = URL.parse(settings.identity.issuer)?.hostname;
  const other = findOverlappingHost(domain, issuerHost === undefined ? hosts : [...hosts, issuerHost]);
  if (other !== null) throw new SettingError("HOSTING_APP_DOMAIN", `a domain apart from the service host ${other}`);
  return settings;
});

export type HostingSettings = ReturnType<typeof settingsOf>;
