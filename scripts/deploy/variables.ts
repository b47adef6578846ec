import type { Setting } from "../../workers/kit/settings/settings.ts";
import { perService, type Worker } from "../support/services.ts";
import { type DeploymentRecord, serviceUrl } from "./record.ts";

export type Variables = Record<Worker, Record<string, string>>;

/** Returns the variables that follow from the options of a deployment, and its further settings, which take precedence. */
export function variablesOf(record: DeploymentRecord): Variables {
  const { hosts, zone, apps, mail, from, settings } = record;
  const issuer = { IDENTITY_ISSUER: serviceUrl(record, "identity") };
  // Apps are served by the edge, and hosting has to know the hosts that belong to services.
  const edgeDomains: Record<string, string> = apps === null ? {} : { SERVICE_DOMAINS: zone.name };
  const derived: Variables = {
    ...perService((): Record<string, string> => issuer),
    edge: { ...edgeDomains, ...("all" in hosts ? { PATH_HOSTS: hosts.all } : {}) },
    identity: { JWT_ISSUER: issuer.IDENTITY_ISSUER },
    email: {
      ...issuer,
      PUBLIC_BASE_URL: serviceUrl(record, "email"),
      EMAIL_AUTH_LINK_HOSTS: new URL(issuer.IDENTITY_ISSUER).hostname,
      DEFAULT_FROM_EMAIL: from,
      EMAIL_PLATFORM_COMPANY_IDS: "1",
      ...(mail === "cloudflare" ? { EMAIL_PLATFORM_TRANSPORT: mail } : { EMAIL_FALLBACK_PROVIDER: mail }),
    },
    hosting: { ...issuer, ...edgeDomains, ...(apps === null ? {} : { HOSTING_APP_DOMAIN: apps }) },
  };
  const workers = Object.keys(derived) as Worker[];
  return Object.fromEntries(
    workers.map((worker) => [worker, { ...derived[worker], ...settings[worker] }]),
  ) as Variables;
}

/** Returns why the settings of a deployment are invalid: names that the code does not know, and secrets. */
export function settingProblems(
  { settings }: Pick<DeploymentRecord, "settings">,
  known: Record<Worker, Setting[]>,
): string[] {
  return (Object.entries(settings) as [Worker, Record<string, string>][]).flatMap(([worker, values]) =>
    Object.keys(values).flatMap((name) => {
      const setting = known[worker]?.find((entry) => entry.name === name);
      if (setting === undefined) return [`${worker}.${name}: the code knows no setting of this name. Remove it.`];
      if (setting.secret !== undefined)
        return [`${worker}.${name} is a secret. Remove it and set the environment variable ${name}.`];
      return [];
    }),
  );
}
