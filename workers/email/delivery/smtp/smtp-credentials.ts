import { SMTP_VENDORS, type SmtpVendor } from "../../../../schemas/email/delivery/transports";
import type { FieldErrors } from "../../../../schemas/errors";
import { checkPublicHost } from "../../../kit/net/public-address";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import { isMissing, readFlag, readSecret } from "../providers/credential-fields";
import type { CredentialContext, Credentials } from "../providers/types";

const DEFAULT_PORT = 587;

/** Reads the relay credentials in the request of a company. Throws a Problem with the invalid fields. */
export async function readRelayCredentials(
  input: Record<string, unknown>,
  { debug, resolve }: CredentialContext,
): Promise<Credentials> {
  const relay = readRelay(input, debug);
  return { host: await readHost(input.host, resolve), ...relay };
}

/** Parses decrypted relay credentials. Returns null when they are incomplete. */
export function parseRelayCredentials(stored: Record<string, unknown>): Credentials | null {
  const { host, port, username, password, use_tls, use_ssl, vendor } = stored;
  if (typeof host !== "string" || host === "" || typeof port !== "number") return null;
  return {
    host,
    port,
    use_tls: use_tls === true,
    use_ssl: use_ssl === true,
    username: typeof username === "string" ? username : "",
    password: typeof password === "string" ? password : "",
    ...(isVendor(vendor) ? { vendor } : {}),
  };
}

/** Returns whether a value is the name of a relay vendor or `none`. */
export function isVendor(value: unknown): value is SmtpVendor | "none" {
  return ["none", ...SMTP_VENDORS].some((vendor) => vendor === value);
}

/** Reads all fields of a relay except its host. */
function readRelay(input: Record<string, unknown>, debug: boolean): Credentials {
  const fields: FieldErrors = {};
  const port = input.port ?? DEFAULT_PORT;
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) {
    fields["credentials.port"] = ["invalid"];
  } else if (port === 25 && !debug) {
    fields["credentials.port"] = ["not_allowed"];
  }
  const use_tls = readFlag(input, "use_tls", fields);
  const use_ssl = readFlag(input, "use_ssl", fields);
  // Without TLS, the mail would cross the network in plain text.
  if (Object.keys(fields).length === 0 && !use_tls && !use_ssl && !debug) fields["credentials.use_tls"] = ["required"];
  const username = readSecret(input, "username", fields);
  const password = readSecret(input, "password", fields);
  if (username !== "" && isMissing(input.password)) fields["credentials.password"] = ["required"];
  if (password !== "" && isMissing(input.username)) fields["credentials.username"] = ["required"];
  const { vendor } = input;
  if (vendor !== undefined && !isVendor(vendor)) fields["credentials.vendor"] = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return {
    port: Number(port),
    username,
    password,
    // `use_ssl` takes precedence over `use_tls`.
    use_tls: use_tls && !use_ssl,
    use_ssl,
    ...(isVendor(vendor) ? { vendor } : {}),
  };
}

/** Returns the host. Rejects a name that does not resolve, so that the user sees the error while saving. */
async function readHost(value: unknown, resolve: (name: string) => Promise<string[]>): Promise<string> {
  if (isMissing(value)) throw hostProblem("required");
  const host = typeof value === "string" ? value.trim().toLowerCase() : "";
  const check = host === "" || host.length > 253 ? null : await checkPublicHost(host, resolve);
  if (!check?.ok) throw hostProblem("not_public");
  return check.host;
}

function hostProblem(code: "required" | "not_public"): Problem {
  return new Problem("provider_host_not_public", { field_errors: { "credentials.host": [code] } });
}
