import { unstable_readConfig as readConfig } from "wrangler";
import { findOverlappingHost, serviceHostsOf } from "../../schemas/hosting/app-domain.ts";
import { type Worker, workers } from "./services.ts";
import { configs } from "./start/workspace.ts";

/** The part of a Worker's configuration that names hosts. */
export type HostConfig = { vars: Record<string, unknown>; routes: readonly string[] };

/** Reads the variables and routes of each Worker from its wrangler.toml. */
export function readHostConfigs(): Record<Worker, HostConfig> {
  const entries = workers.map((worker): [Worker, HostConfig] => {
    const { vars, routes = [], route } = readConfig({ config: configs[worker] });
    const patterns = [...routes, ...(route === undefined ? [] : [route])];
    return [worker, { vars, routes: patterns.map((entry) => (typeof entry === "string" ? entry : entry.pattern)) }];
  });
  return Object.fromEntries(entries) as Record<Worker, HostConfig>;
}

const listOf = (value: unknown): string[] =>
  typeof value === "string" ? value.split(",").map((part) => part.trim()) : [];

/**
 * Returns why the domain of the apps cannot be deployed, or null. It must neither be nor contain nor be contained in the host of a
 * service, and hosting and the edge have to know the same hosts.
 */
export function findAppDomainProblem(all: Record<Worker, HostConfig>): string | null {
  const domain = all.hosting.vars.HOSTING_APP_DOMAIN;
  if (typeof domain !== "string" || domain === "" || domain === "none") return null;
  const [edgeDomains, hostingDomains] = [
    listOf(all.edge.vars.SERVICE_DOMAINS),
    listOf(all.hosting.vars.SERVICE_DOMAINS),
  ];
  if (edgeDomains.toSorted().join() !== hostingDomains.toSorted().join()) {
    return "SERVICE_DOMAINS of the edge (wrangler.toml) and of hosting (workers/hosting/wrangler.toml) must be equal.";
  }
  const issuer = URL.parse(String(all.hosting.vars.IDENTITY_ISSUER ?? ""))?.hostname ?? "";
  // The routes of the edge include the app domain itself, such as `*.apps.example.com/*`.
  const routes = workers.filter((worker) => worker !== "edge").flatMap((worker) => all[worker].routes);
  const routeHosts = routes.map((pattern) =>
    pattern
      .replace(/^https?:\/\//u, "")
      .replace(/\/.*$/u, "")
      .replace(/^\*\.?/u, ""),
  );
  const hosts = [issuer, ...serviceHostsOf(edgeDomains), ...listOf(all.edge.vars.PATH_HOSTS), ...routeHosts].filter(
    Boolean,
  );
  const other = findOverlappingHost(domain, hosts);
  if (other === null) return null;
  return `HOSTING_APP_DOMAIN ${domain} overlaps the service host ${other}. Use a domain that neither is, contains nor is contained in it.`;
}
