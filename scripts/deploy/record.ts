import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Service, Worker } from "../support/services.ts";

export type MailTransport = "cloudflare" | "api" | "smtp";

/**
 * What a deployment consists of. It is stored in deploy/<name>.json, contains no secret, and can be committed. Later runs take
 * their options from it.
 */
export type DeploymentRecord = {
  name: string;
  account: string;
  zone: { id: string; name: string };
  /** the host of each service, or the one host of all services, which the edge splits by path */
  hosts: Record<Service, string> | { all: string };
  /** the domain of the apps that companies host, or null */
  apps: string | null;
  mail: MailTransport;
  from: string;
  company: string;
  owner: string;
  staff: string;
  /** the first origin to which sign-in may redirect */
  origin: string;
  /** further variables of each Worker, by name */
  settings: Partial<Record<Worker, Record<string, string>>>;
  databases: Partial<Record<Service, string>>;
  /** the names of the generated secrets that the account has stored */
  secrets: Partial<Record<Service, string[]>>;
  /** the commit of the last complete run, or null */
  release: string | null;
};

/** Returns the record in a file, or null if there is none. */
export function readRecord(path: string): DeploymentRecord | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as DeploymentRecord) : null;
}

export function writeRecord(path: string, record: DeploymentRecord): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`);
}

/** Returns the public base URL of a service, without a final slash. */
export function serviceUrl({ hosts }: Pick<DeploymentRecord, "hosts">, service: Service): string {
  return "all" in hosts ? `https://${hosts.all}/${service}` : `https://${hosts[service]}`;
}

/** Returns the custom domains of a deployment by Worker. */
export function customDomains({ hosts }: Pick<DeploymentRecord, "hosts">): [Worker, string][] {
  return "all" in hosts ? [["edge", hosts.all]] : (Object.entries(hosts) as [Worker, string][]);
}
