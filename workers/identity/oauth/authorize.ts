import { randomToken } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";
import { type CompanyRow, findCompany, findRedirectOrigin } from "../account/person.store";
import { challengeOf } from "../magic-link/magic-link";
import { isUsable } from "../oauth-clients/oauth-client";
import { findActiveClients, type OAuthClientRow } from "../oauth-clients/oauth-client.store";
import { createCalls } from "../oauth-providers/calls";
import { providers } from "../oauth-providers/catalog";
import type { IdentityServices } from "../services";
import { authorizeLocation, requireClient } from "./exchange";
import { createState } from "./state";

/** The ways into a company, read in one round trip. An inactive company looks like one with every method off. */
export type SignInMethods = { company: CompanyRow | null; isListed: boolean; clients: OAuthClientRow[] };

/** Company, allowlist row of the redirect's origin, and active clients; the same statements for every company. */
export async function readSignInMethods(
  services: IdentityServices,
  companyId: number,
  origin: string,
): Promise<SignInMethods> {
  const { db } = services;
  const [companies, redirects, clients] = await db.batch<[CompanyRow, { found: number }, OAuthClientRow]>([
    findCompany.bind(db, companyId),
    findRedirectOrigin.bind(db, companyId, origin),
    findActiveClients.bind(db, companyId),
  ]);
  const company = companies.results[0];
  const isOpen = company?.is_active === 1;
  return {
    company: isOpen ? company : null,
    isListed: redirects.results.length > 0,
    clients: isOpen ? clients.results : [],
  };
}

/** Clients that people can sign in by, in the order of their provider ids. */
export function usableClients({ clients }: SignInMethods): OAuthClientRow[] {
  return clients.filter(isUsable);
}

/** The active client of a provider id: 400 `provider_disabled` without one, `oauth_client_unavailable` for another's id. */
export function chooseClient(methods: SignInMethods, providerId: string, clientId: string | undefined): OAuthClientRow {
  const client = methods.clients.find((row) => row.provider_id === providerId);
  if (!client) throw new Problem("provider_disabled");
  if (clientId && clientId !== client.id) throw new Problem("oauth_client_unavailable");
  return client;
}

/** Stores the state and answers where the provider asks the person. 400 `oauth_client_unavailable` also when it is away. */
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
