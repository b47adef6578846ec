import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import { randomToken } from "../../../kit/crypto/random";
import { selectCompany } from "../../company/company/company";
import { selectListedOrigin } from "../../company/redirects/oauth-redirect";
import { isUsable, selectActiveClients } from "../../company/sign-in-methods/oauth-client";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { challengeOf } from "../completion/code-challenge";
import { createCalls } from "../oauth-providers/calls";
import { providers } from "../oauth-providers/catalog";
import { authorizeLocation, requireClient } from "./exchange";
import { createState } from "./state";

/** The sign-in methods of a company, read in one round trip. An inactive company looks like one with every method disabled. */
export type SignInMethods = { company: CompanyRow | null; isListed: boolean; clients: OAuthClientRow[] };

/**
 * Reads the company, the allowlist row of the redirect's origin, and the active clients. The statements are the same for
 * every company.
 */
export async function readSignInMethods(
  { db }: IdentityServices,
  companyId: number,
  origin: string,
): Promise<SignInMethods> {
  const { company, listed, clients } = await db.batch({
    company: selectCompany(companyId),
    listed: selectListedOrigin(companyId, origin),
    clients: selectActiveClients(companyId),
  });
  const open = company.first?.is_active ? company.first : null;
  return { company: open, isListed: listed.first !== null, clients: open ? clients.rows : [] };
}

/** Returns the clients with which users can sign in, ordered by provider id. */
export function usableClients({ clients }: SignInMethods): OAuthClientRow[] {
  return clients.filter(isUsable);
}

/**
 * Returns the active client of a provider id. Throws 400 `provider_disabled` when there is none, and
 * `oauth_client_unavailable` when `clientId` is the id of another client.
 */
export function chooseClient(methods: SignInMethods, providerId: string, clientId: string | undefined): OAuthClientRow {
  const client = methods.clients.find((row) => row.provider_id === providerId);
  if (!client) throw new Problem("provider_disabled");
  if (clientId && clientId !== client.id) throw new Problem("oauth_client_unavailable");
  return client;
}

/**
 * Stores the state and returns the provider's authorization URL. Throws 400 `oauth_client_unavailable` when the client is
 * unusable or the provider is unavailable.
 */
export async function beginSignIn(
  services: IdentityServices,
  row: OAuthClientRow,
  input: {
    cookie: string;
    redirectTo: string;
    tokenDelivery: "code" | "fragment";
    codeChallenge: string | null;
    clientTimezone: string;
    clientDeviceId: string;
    switchAccount: boolean;
  },
): Promise<string> {
  const provider = providers[row.provider];
  const client = await requireClient(services, row);
  const endpoints = await provider.endpoints(client, createCalls(services)).catch((cause: unknown) => {
    throw new Problem("oauth_client_unavailable", { cause });
  });
  const secrets = {
    verifier: endpoints.supportsPkce ? randomToken() : null,
    nonce: provider.isOpenId ? randomToken() : null,
  };
  const state = await createState(services, { ...input, client: row, secrets });
  return authorizeLocation(services, provider, client, endpoints, {
    state,
    nonce: secrets.nonce,
    challenge: secrets.verifier === null ? null : await challengeOf(secrets.verifier),
    switchAccount: input.switchAccount,
  });
}
