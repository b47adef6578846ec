import type { Setting } from "../../workers/kit/settings/settings.ts";
import { perWorker, type Service, services, type Worker, workers } from "../support/services.ts";
import { makeSecret } from "../support/start/secrets.ts";
import type { Existing } from "./cloudflare/existing.ts";
import { UsageError } from "./options.ts";
import type { DeploymentRecord } from "./record.ts";
import { previousNames } from "./rotation/seal-keys.ts";
import type { SecretsCopy } from "./rotation/secrets-copy.ts";

/** The secret with which a service calls the email service. The email database has its hash. */
export const serviceKeyName = "EMAIL_SERVICE_API_KEY";

/** The token of this command. The hosting Worker has a secret of the same name, which must be a narrower token. */
const ownToken = "CLOUDFLARE_API_TOKEN";

/** Returns the environment variables that may become secrets of Workers. */
function givenSecrets({ [ownToken]: _, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

type SecretsOf = Record<Worker, Record<string, string>>;

export type SecretSources = {
  settings: Record<Worker, Setting[]>;
  /** services whose key the email database does not have */
  withoutKey: ReadonlySet<Service>;
  /** the local copy of the secrets, or null */
  copy: SecretsCopy | null;
  env: NodeJS.ProcessEnv;
};

/** Throws if the copy lacks generated secrets, or previous ones, that the account has, because nobody can read them there. */
function requireComplete(existing: Existing, copy: SecretsCopy, settings: SecretSources["settings"]): void {
  const lacking = workers.flatMap((worker) => {
    const stored = existing.workers.get(worker)?.secrets ?? new Set<string>();
    const previous = worker === "edge" ? [] : previousNames(worker);
    const kept = settings[worker].filter(({ secret }) => secret !== undefined && secret !== "given");
    const names = [...kept.map(({ name }) => name), ...previous].filter(
      (name) => stored.has(name) && !copy[worker]?.[name],
    );
    return names.length === 0 ? [] : [`${worker}: ${names.join(", ")}`];
  });
  if (lacking.length === 0) return;
  throw new UsageError(
    `The copy would be incomplete: the account has secrets that nobody can read there (${lacking.join("; ")}). ` +
      "Take the file that the first run wrote, or run without --secrets-file.",
  );
}

/** Returns why generating these secrets would lose data, or null. */
function lossProblem(service: Service, names: string[], record: DeploymentRecord): string | null {
  const lost = names.filter((name) => record.secrets[service]?.includes(name));
  if (lost.length === 0) return null;
  return (
    `${service}: the account no longer has the secrets ${lost.join(", ")}. New ones could not open what the old ones sealed. ` +
    "Continue with --secrets-file and the copy of the old ones, or remove their names from the record to generate new ones."
  );
}

/**
 * Returns the secrets that the account lacks: from the local copy, from environment variables of the same names, or generated.
 * Secrets that the account has are never replaced, except given ones whose environment variable is set. Throws if secrets that
 * were stored before are gone, or if the copy lacks some.
 */
export function findMissingSecrets(
  existing: Existing,
  record: DeploymentRecord,
  { settings, withoutKey, copy: localCopy, env }: SecretSources,
): SecretsOf {
  const copy = localCopy ?? {};
  const given = givenSecrets(env);
  const missing = perWorker((worker) => {
    const stored = existing.workers.get(worker)?.secrets ?? new Set<string>();
    const kept = settings[worker].filter(({ name, secret }) => {
      if (secret === undefined) return false;
      if (name === serviceKeyName && worker !== "edge" && withoutKey.has(worker)) return true;
      return !stored.has(name) || (secret === "given" && Boolean(given[name]));
    });
    const values = kept.map(({ name, secret = "given" }) => [
      name,
      (secret === "given" ? given[name] : undefined) || copy[worker]?.[name] || makeSecret(secret),
    ]);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, string>;
  });
  for (const service of services) {
    const names = settings[service]
      .filter(({ secret, name }) => secret !== undefined && secret !== "given" && name !== serviceKeyName)
      .map(({ name }) => name)
      .filter((name) => name in missing[service] && !copy[service]?.[name]);
    const problem = lossProblem(service, names, record);
    if (problem !== null) throw new Error(problem);
  }
  if (localCopy !== null) requireComplete(existing, localCopy, settings);
  return missing;
}

/** Returns the copy with the secrets that a run stores. */
export function withSecrets(copy: SecretsCopy, secrets: SecretsOf): SecretsCopy {
  return { ...copy, ...perWorker((worker) => ({ ...copy[worker], ...secrets[worker] })) };
}
