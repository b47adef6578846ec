import { createPublicKey } from "node:crypto";
import { type Service, services } from "../../support/services.ts";
import { makeSecret } from "../../support/start/secrets.ts";
import { serviceKeyName } from "../secrets.ts";
import { sealKeys } from "./seal-keys.ts";
import type { SecretChanges, SecretsCopy } from "./secrets-copy.ts";

/** What can be rotated. */
export const rotations = ["jwt", "seal", "pepper", "operator", "service-key", "provider"] as const;
export type Rotation = (typeof rotations)[number];

/** `finish`: removes the previous values. `isLeaked`: keeps no previous values, so that the old ones end at once. */
export type RotationMode = { isFinished: boolean; isLeaked: boolean };

/** A rotation cannot be done as requested. The message begins with a code. */
export class RotationError extends Error {
  override readonly name = "RotationError";
}

const providerSecrets = ["PROVIDER_API_KEY", "PROVIDER_WEBHOOK_SECRET", "EMAIL_HOST_PASSWORD"];

/** Returns the changes of a rotation. Throws a RotationError when it would end something that is still needed. */
export function planRotation(
  what: Rotation,
  copy: SecretsCopy,
  mode: RotationMode,
  env: NodeJS.ProcessEnv,
): SecretChanges {
  switch (what) {
    case "jwt":
      return planSigningKey(copy, mode);
    case "seal":
      return planSealKeys(copy, mode);
    case "pepper":
      return planPepper(copy, mode);
    case "operator":
      return each(services, () => ({ OPERATOR_KEY: makeSecret("operator key") ?? "" }));
    case "service-key":
      return each(callers(copy), () => ({ [serviceKeyName]: makeSecret("service key") ?? "" }));
    default: {
      const given = providerSecrets.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
      if (given.length === 0)
        throw new RotationError(`value-missing: Set the new value in the environment: ${providerSecrets.join(", ")}.`);
      return { email: Object.fromEntries(given) };
    }
  }
}

const each = (names: readonly Service[], changes: () => Record<string, string>): SecretChanges =>
  Object.fromEntries(names.map((name) => [name, changes()]));

/** Returns the services that call the email service with a key. */
const callers = (copy: SecretsCopy): Service[] =>
  services.filter((service) => copy[service]?.[serviceKeyName] !== undefined);

function requireValue(copy: SecretsCopy, service: Service, name: string): string {
  const value = copy[service]?.[name];
  if (value === undefined)
    throw new RotationError(`copy-incomplete: The copy of the secrets has no ${name} of ${service}.`);
  return value;
}

function requireNoPrevious(copy: SecretsCopy, service: Service, name: string): void {
  if (copy[service]?.[name] === undefined) return;
  throw new RotationError(
    `rotation-unfinished: ${service} still accepts a previous value (${name}), and it can keep only one. Finish that rotation first with --finish.`,
  );
}

function planSigningKey(copy: SecretsCopy, { isFinished, isLeaked }: RotationMode): SecretChanges {
  if (isFinished) return { identity: { JWT_PREVIOUS_PUBLIC_KEY: null } };
  const current = requireValue(copy, "identity", "JWT_PRIVATE_KEY");
  const JWT_PRIVATE_KEY = makeSecret("RSA key") ?? "";
  if (isLeaked) return { identity: { JWT_PRIVATE_KEY, JWT_PREVIOUS_PUBLIC_KEY: null } };
  requireNoPrevious(copy, "identity", "JWT_PREVIOUS_PUBLIC_KEY");
  const publicKey = createPublicKey(current.replaceAll("\\n", "\n")).export({ type: "spki", format: "pem" });
  const JWT_PREVIOUS_PUBLIC_KEY = String(publicKey).trim().replaceAll("\n", "\\n");
  return { identity: { JWT_PRIVATE_KEY, JWT_PREVIOUS_PUBLIC_KEY } };
}

function planSealKeys(copy: SecretsCopy, { isFinished, isLeaked }: RotationMode): SecretChanges {
  const changes: Partial<Record<Service, Record<string, string | null>>> = {};
  for (const { service, name, previous, isList } of sealKeys) {
    const values = changes[service] ?? {};
    changes[service] = values;
    // Values outside of email are sealed again only when they are saved again, so their list of previous keys stays.
    const isKept = isList && service !== "email";
    if (isFinished) {
      if (!isKept) values[previous] = null;
      continue;
    }
    const current = requireValue(copy, service, name);
    values[name] = makeSecret("random bytes") ?? "";
    if (isLeaked && !isList) values[previous] = null;
    else {
      if (!isList) requireNoPrevious(copy, service, previous);
      values[previous] = isList ? [current, copy[service]?.[previous]].filter(Boolean).join(",") : current;
    }
  }
  return changes;
}

function planPepper(copy: SecretsCopy, { isFinished }: RotationMode): SecretChanges {
  if (isFinished) return { email: { EMAIL_HASH_PEPPER_PREVIOUS: null } };
  const current = requireValue(copy, "email", "EMAIL_HASH_PEPPER");
  requireNoPrevious(copy, "email", "EMAIL_HASH_PEPPER_PREVIOUS");
  return { email: { EMAIL_HASH_PEPPER: makeSecret("random bytes") ?? "", EMAIL_HASH_PEPPER_PREVIOUS: current } };
}
