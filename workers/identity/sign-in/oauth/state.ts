import * as z from "zod";
import type { CompanyRow, OAuthClientRow, OAuthStateRow } from "../../../../db/identity/schema";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { hmacHex, sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import { uuid } from "../../../kit/ids";
import { MINUTE_MS, SECOND_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import {
  claimOAuthState,
  findClientOfState,
  findCompanyOfState,
  findOAuthState,
  findOriginsOfState,
  insertOAuthState,
  storeFormPost,
} from "./state.store";

const LIFE_MS = 10 * MINUTE_MS;

/** Lifetime of the state's cookie in seconds. */
export const STATE_COOKIE_SECONDS = LIFE_MS / SECOND_MS;
export const STATE_COOKIE = "platform_oauth_state_nonce";

const formPostSchema = lazySchema(() =>
  z.object({
    code: z.string().optional(),
    error: z.string().optional(),
    user: z.string().optional(),
  }),
);

/** The values of the provider's form post, which are stored for the GET that follows. */
export type FormPost = z.output<typeof formPostSchema>;

const secretsSchema = lazySchema(() =>
  z.object({
    verifier: z.string().nullable(),
    nonce: z.string().nullable(),
    form: formPostSchema.unwrap().optional(),
  }),
);

/**
 * The PKCE verifier and the ID token nonce of a pending sign-in, each null if the provider does not support it, and the
 * values of the form post.
 */
export type StateSecrets = z.output<typeof secretsSchema>;

/** A sign-in that came back from its provider, with the rows that it depends on. */
export type PendingSignIn = {
  state: OAuthStateRow;
  nonce: string;
  company: CompanyRow;
  client: OAuthClientRow | null;
  origins: string[];
  secrets: StateSecrets;
  clientTimezone: string;
  deviceHash: string | null;
};

const associatedDataOf = (stateHash: string) => `identity:oauth_states:${stateHash}`;

/** Stores the state of a sign-in, in one round trip, before the redirect to the provider. Returns the raw state. */
export async function createState(
  services: IdentityServices,
  input: {
    cookie: string;
    client: OAuthClientRow;
    secrets: StateSecrets;
    redirectTo: string;
    tokenDelivery: "code" | "fragment";
    codeChallenge: string | null;
    clientTimezone: string;
    clientDeviceId: string;
  },
): Promise<string> {
  const { db, clock } = services;
  const keys = await services.keys();
  const now = clock.now();
  const state = randomToken();
  const stateHash = await sha256Hex(state);
  const [cookieHash, sealed, deviceHash] = await Promise.all([
    sha256Hex(input.cookie),
    seal(JSON.stringify(input.secrets), keys.sealing, associatedDataOf(stateHash)),
    hmacHex(keys.hashes, `device\n${input.clientDeviceId}`),
  ]);
  const { client, redirectTo, tokenDelivery, codeChallenge } = input;
  await db.run(
    insertOAuthState({
      stateHash,
      cookieHash,
      companyId: client.company_id,
      clientId: client.id,
      redirectTo,
      tokenDelivery,
      codeChallenge,
      sealed,
      context: { client_timezone: input.clientTimezone, device_hash: input.clientDeviceId ? deviceHash : null },
      now,
      expiresAt: now + LIFE_MS,
    }),
  );
  return state;
}

/** A rejected state. If the state exists, company and provider are set for the audit log. */
export type RefusedState = { refused: true; company: CompanyRow | null; provider: string | null };

/**
 * Consumes a state in one round trip, if it is unused and unexpired and the browser presents its cookie. A single conditional
 * UPDATE consumes it, so only one of several parallel callbacks continues.
 */
export async function claimState(
  services: IdentityServices,
  state: string | undefined,
  cookie: string | null,
): Promise<PendingSignIn | RefusedState> {
  if (!state || state.length > 128) return { refused: true, company: null, provider: null };
  const { db, clock } = services;
  const nonce = uuid();
  const [stateHash, cookieHash] = await Promise.all([sha256Hex(state), sha256Hex(cookie ?? "")]);
  const results = await db.batch({
    claimed: claimOAuthState({ stateHash, cookieHash, now: clock.now(), nonce }),
    state: findOAuthState({ stateHash }),
    company: findCompanyOfState({ stateHash }),
    client: findClientOfState({ stateHash }),
    origins: findOriginsOfState({ stateHash }),
  });
  const row = results.state.first;
  const company = results.company.first;
  const client = results.client.first;
  const secrets = row && row.use_nonce === nonce ? await openSecrets(services, row) : null;
  if (!row || !company || !secrets) {
    return { refused: true, company, provider: client?.provider_id ?? null };
  }
  return {
    state: row,
    nonce,
    company,
    client,
    origins: results.origins.rows.map((origin) => origin.base_url),
    secrets,
    clientTimezone: row.client_context.client_timezone,
    deviceHash: row.client_context.device_hash,
  };
}

async function openSecrets(services: IdentityServices, row: OAuthStateRow): Promise<StateSecrets | null> {
  try {
    const opened = await open(row.sealed, (await services.keys()).sealing, associatedDataOf(row.state_hash));
    return secretsSchema.unwrap().parse(JSON.parse(opened));
  } catch (error) {
    // The secrets were sealed with a SECRET_KEY that is no longer set, so the user must start the sign-in again.
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * Stores the values of Apple's form post in the state. Browsers send this cross-site post without our cookie, so the GET that
 * follows it continues the sign-in. Throws 400 `invalid_oauth_state`, and 405 for a provider that posts no forms.
 */
export async function storeForm(services: IdentityServices, state: string, form: FormPost): Promise<void> {
  const { db, clock } = services;
  const invalid = new Problem("invalid_oauth_state");
  if (!state || state.length > 128) throw invalid;
  const stateHash = await sha256Hex(state);
  const results = await db.batch({ state: findOAuthState({ stateHash }), client: findClientOfState({ stateHash }) });
  const row = results.state.first;
  if (!row || row.used_at !== null || row.expires_at <= clock.now()) throw invalid;
  if (results.client.first?.provider !== "apple") {
    throw new Problem("method_not_allowed", { headers: { allow: "GET, HEAD" } });
  }
  const secrets = await openSecrets(services, row);
  if (!secrets || secrets.form) throw invalid;
  const after = await seal(
    JSON.stringify({ ...secrets, form }),
    (await services.keys()).sealing,
    associatedDataOf(stateHash),
  );
  const stored = await db.first(storeFormPost({ stateHash, before: row.sealed, after, now: clock.now() }));
  if (!stored) throw invalid;
}
