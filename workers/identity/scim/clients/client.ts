import type { CompanyRow } from "../../../../db/identity/schema";
import { readBearer } from "../../../kit/auth/caller";
import { sha256Hex } from "../../../kit/crypto/hash";
import type { BatchResults, Result } from "../../../kit/db/db";
import type { Reads } from "../../../kit/http/call";
import { toCounters } from "../../../kit/limits/limiter";
import { MINUTE_MS } from "../../../kit/time";
import { limitByIp, rateLimited } from "../../caller/client/limits";
import { tokenInvalid } from "../../caller/credentials/credential";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { type ClientRow, countTokens, findClient, touchToken } from "./scim-token.store";

/** The start of every SCIM token. */
export const TOKEN_START = "pst_";

// Batch key of the statement that verifies the token.
const CLIENT = "scim.client";

/** A directory whose token was verified recently. Only `readAsDirectory` verifies it for this request. */
export type Directory = { hash: string; path: string; companyId: number };

/** The company of a directory, and the results of the reads. */
export type DirectoryReads<R extends Reads> = { company: CompanyRow; results: BatchResults<R> };

/**
 * Identifies a directory by its token. Call it before the body is read. A token that this isolate has not verified recently is
 * verified in a separate round trip, so that a wrong token costs one indexed lookup. `path` is the id or slug of the company.
 * Throws 401 `unauthorized` without a token and `token_invalid` for a token that is unknown, revoked or belongs to another company;
 * 403 `access_denied` if the company is inactive; 429 `rate_limited`; and 404 if SCIM is disabled.
 */
export async function identifyDirectory(
  services: IdentityServices,
  request: Request,
  path: string,
): Promise<Directory> {
  const { settings, clock, verifiedScimTokens, db } = services;
  if (!settings.scimEnabled) throw new Problem("not_found");
  const bearer = readBearer(request);
  if (!bearer.startsWith(TOKEN_START)) throw tokenInvalid();
  const hash = await sha256Hex(bearer);
  let companyId = verifiedScimTokens.get(hash, clock.now());
  if (companyId === null) {
    const row = await db.first(findClient({ hash }));
    companyId = (await requireClient(services, request, { hash, path, row })).id;
  }
  await limitByToken(services, hash);
  return { hash, path, companyId };
}

/** Verifies the token of a directory and runs `reads`, in one round trip. Throws the errors of `identifyDirectory`. */
export async function readAsDirectory<R extends Reads>(
  services: IdentityServices,
  request: Request,
  { hash, path, companyId }: Directory,
  reads: (companyId: number) => R,
): Promise<DirectoryReads<R>> {
  const { [CLIENT]: client, ...results } = await services.db.batch({
    [CLIENT]: findClient({ hash }),
    ...reads(companyId),
  });
  const row = (client as unknown as Result<ClientRow>).first;
  const { token_id, last_used_at, ...company } = await requireClient(services, request, { hash, path, row });
  touchLater(services, { id: token_id, last_used_at });
  return { company, results: results as unknown as BatchResults<R> };
}

async function requireClient(
  services: IdentityServices,
  request: Request,
  { hash, path, row }: { hash: string; path: string; row: ClientRow | null },
): Promise<ClientRow> {
  if (row === null || (path !== String(row.id) && path !== row.slug)) {
    services.verifiedScimTokens.delete(hash);
    // Only wrong tokens count for the network address, so this limit rejects no valid token.
    await limitByIp(services, request, "scim", services.settings.rates.scim);
    throw tokenInvalid();
  }
  if (!row.is_active) throw new Problem("access_denied");
  services.verifiedScimTokens.add(hash, row.id, services.clock.now());
  return row;
}

async function limitByToken({ settings, limiter }: IdentityServices, hash: string): Promise<void> {
  const counters = toCounters("scim", settings.rates.scim);
  if (counters.length === 0) return;
  const decision = await limiter.reserve(`token:${hash.slice(0, 32)}`, counters);
  if (!decision.ok) throw rateLimited(decision);
}

/** Stores the time of use after the response, at most once a minute. */
function touchLater(services: IdentityServices, token: { id: string; last_used_at: number | null }): void {
  const now = services.clock.now();
  const before = now - MINUTE_MS;
  if (token.last_used_at !== null && token.last_used_at >= before) return;
  services.afterResponse(() => services.db.run(touchToken({ id: token.id, now, before })));
}

/** Returns the statement that selects the number of tokens of a company, and of its live ones. */
export const selectTokenCount = (companyId: number) => countTokens({ companyId });
