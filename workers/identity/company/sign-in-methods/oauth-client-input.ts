import type * as z from "zod";
import type { ClientConfig, OAuthClientRow, Provider } from "../../../../db/identity/schema";
import type { FieldErrors } from "../../../../schemas/errors";
import type { oauthClientBody, oauthClientChange } from "../../../../schemas/identity/company/oauth-client";
import { invalid } from "../../../kit/problem";
import type { IdentityServices } from "../../services";
import { createCalls, ProviderCallError } from "../../sign-in/oauth-providers/calls";
import { providers } from "../../sign-in/oauth-providers/catalog";

export type ClientBody = z.output<typeof oauthClientBody>;
export type ClientChange = z.output<typeof oauthClientChange>;

/** The provider-specific fields of a request body. A null in `config` removes the stored value. */
type ProviderFields = { config: Record<string, string | null>; secret: string | null };

/** The provider-specific fields. CONFIG_NAMES are stored in plain text, SECRET_NAMES are stored sealed. */
export const CONFIG_NAMES = [
  "tenant",
  "team_id",
  "key_id",
  "scopes",
  "issuer",
] as const satisfies (keyof ClientConfig)[];
export const SECRET_NAMES = ["client_secret", "private_key"] as const;

/**
 * Returns the provider id of a new client: the provider, or `oidc-<slug>`. Throws 400 for a missing, blank or unexpected
 * slug.
 */
export function readProviderId(body: ClientBody): string {
  if (body.provider !== "oidc") {
    if (body.slug) throw invalid({ slug: ["not_allowed"] });
    return body.provider;
  }
  if (!body.slug) throw invalid({ slug: [body.slug === "" ? "blank" : "required"] });
  return `oidc-${body.slug}`;
}

/** Returns the slug of a stored client with the provider `oidc`, else null. */
export function slugOf(row: Pick<OAuthClientRow, "provider" | "provider_id">): string | null {
  return row.provider === "oidc" ? row.provider_id.slice("oidc-".length) : null;
}

/** Throws 400 `[not_allowed]` when the change has a different provider or slug, which are fixed after creation. */
export function requireSameProvider(row: OAuthClientRow, change: ClientChange): void {
  if (change.provider !== undefined && change.provider !== row.provider) throw invalid({ provider: ["not_allowed"] });
  if (change.slug !== undefined && (change.slug || null) !== slugOf(row)) throw invalid({ slug: ["not_allowed"] });
}

/** Returns the fields of the body that the provider uses. Throws 400 `[required]`, `[blank]` or `[not_allowed]`. */
export function readProviderFields(provider: Provider, body: ClientChange, isNew: boolean): ProviderFields {
  const errors: FieldErrors = {};
  const config: ProviderFields["config"] = {};
  const { fields } = providers[provider];
  for (const name of CONFIG_NAMES) {
    const field = fields.find((candidate) => candidate.name === name);
    const value = body[name];
    if (!field) {
      if (value) errors[name] = ["not_allowed"];
    } else if (field.required && !value && (isNew || value !== undefined)) {
      errors[name] = [value === "" ? "blank" : "required"];
    } else if (value !== undefined) {
      config[name] = value || null;
    }
  }
  for (const name of SECRET_NAMES) {
    if (body[name] !== undefined && !fields.some((field) => field.name === name)) errors[name] = ["not_allowed"];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { config, secret: body.client_secret ?? body.private_key ?? null };
}

/**
 * Throws 400 `[invalid]` for a private key that cannot sign. Otherwise sign-in pages would offer a provider with which every
 * sign-in fails.
 */
export async function requireValidSecret(provider: Provider, secret: string | null): Promise<void> {
  const { isValidSecret, fields } = providers[provider];
  if (secret === null || !isValidSecret || (await isValidSecret(secret))) return;
  throw invalid(Object.fromEntries(fields.filter((field) => field.secret).map(({ name }) => [name, ["invalid"]])));
}

/**
 * Throws 400 `issuer: [invalid]` unless the issuer is https on a public host (or loopback in DEBUG) and its discovery
 * document names the same issuer.
 */
export async function requireIssuer(services: IdentityServices, issuer: string): Promise<void> {
  try {
    const calls = createCalls(services);
    const url = calls.requireUrl(issuer);
    if (url.search || url.hash) throw new ProviderCallError("an issuer has no query and no fragment");
    await providers.oidc.endpoints({ clientId: "", secret: "", config: { issuer } }, calls);
  } catch (error) {
    if (!(error instanceof ProviderCallError)) throw error;
    services.log.note({ issuer_refused: error.message });
    throw invalid({ issuer: ["invalid"] });
  }
}
