import { bytesToBase64url, utf8ToBytes } from "../../kit/crypto/encoding";
import { sha256, sha256Hex, timingSafeEqual } from "../../kit/crypto/hash";
import { randomHex } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";
import {
  type CompanyRow,
  findCompany,
  findOldestOrigin,
  findPersonByEmail,
  type PersonRow,
} from "../account/person.store";
import { isRedirectAllowed, parseRedirect } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import { decideJoin, type JoinDecision, usernameCandidates } from "../sign-in/join";
import { storeRefusal } from "../sign-in/refusal";
import { linkRefusal } from "../sign-in/sign-in.store";
import {
  countCodeTry,
  createRefusedUser,
  findOriginsOfRequest,
  findPersonOfRequest,
  findSignInRequest,
  type SignInRequestRow,
} from "./magic-link.store";
import { hashSignInCode, isMagicLinkEffective } from "./magic-link-request";

/** A link with everything that is decided on it, read in one round trip. */
export type LinkState = {
  company: CompanyRow | null;
  request: SignInRequestRow | null;
  person: PersonRow | null;
  origins: string[];
  /** where a problem page sends people for a new link */
  oldestOrigin: string | null;
};

/** Reads the link of a raw token without writing anything (details 2.4, 2.5). */
export async function readLink(services: IdentityServices, companyId: number, token: string): Promise<LinkState> {
  const { db } = services;
  const hash = await sha256Hex(token);
  const [company, request, person, origins, oldest] = await db.batch<
    [CompanyRow, SignInRequestRow, PersonRow, { base_url: string }, { base_url: string }]
  >([
    findCompany.bind(db, companyId),
    findSignInRequest.bind(db, companyId, hash),
    findPersonOfRequest.bind(db, companyId, hash),
    findOriginsOfRequest.bind(db, companyId, hash),
    findOldestOrigin.bind(db, companyId),
  ]);
  return {
    company: company.results[0] ?? null,
    request: request.results[0] ?? null,
    person: person.results[0] ?? null,
    origins: origins.results.map((row) => row.base_url),
    oldestOrigin: oldest.results[0]?.base_url ?? null,
  };
}

/** The live request of a link or typed code: 403 `magic_link_disabled`, 400 `otherwise` (one answer for all other cases). */
export function requireLiveLink(
  services: IdentityServices,
  state: LinkState,
  otherwise: "magic_link_invalid" | "sign_in_code_invalid" = "magic_link_invalid",
): SignInRequestRow {
  if (!isMagicLinkEffective(services, state.company)) throw new Problem("magic_link_disabled");
  const { request } = state;
  if (!request || request.consumed_at !== null || request.expires_at <= services.clock.now()) {
    throw new Problem(otherwise);
  }
  return request;
}

/** Whether the link's redirect is still allowed (form mode). */
export function isRedirectStillAllowed(services: IdentityServices, state: LinkState, redirectTo: string): boolean {
  const url = parseRedirect(redirectTo);
  return url !== null && isRedirectAllowed(url, state.origins.includes(url.origin), services.settings.debug);
}

/**
 * The request that a typed code belongs to (details 2.5): each call counts a try on all live requests of the address,
 * then compares in constant time. Without `request` when the code is wrong or dead, or the address unknown.
 */
export async function readCode(
  services: IdentityServices,
  input: { companyId: number; email: string; code: string },
): Promise<LinkState> {
  const { db } = services;
  const { codes } = await services.keys();
  const [company, rows, person] = await db.batch<[CompanyRow, SignInRequestRow, PersonRow]>([
    findCompany.bind(db, input.companyId),
    countCodeTry.bind(db, input.companyId, input.email, services.clock.now(), services.settings.magicLinkEnabled),
    findPersonByEmail.bind(db, input.companyId, input.email),
  ]);
  const expected = await Promise.all(codes.map((key) => hashSignInCode(key, input.companyId, input.email, input.code)));
  let request: SignInRequestRow | null = null;
  for (const row of rows.results) {
    for (const hash of expected) if (timingSafeEqual(row.code_hash ?? "", hash)) request = row;
  }
  return {
    company: company.results[0] ?? null,
    request,
    person: person.results[0] ?? null,
    origins: [],
    oldestOrigin: null,
  };
}

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return bytesToBase64url(await sha256(utf8ToBytes(verifier)));
}

/** 400 `code_verifier_required` or `code_verifier_invalid` when the request carried a challenge (details 2.5). */
export async function checkVerifier(challenge: string | null, verifier: string | undefined): Promise<void> {
  if (challenge === null) return;
  if (verifier === undefined) throw new Problem("code_verifier_required");
  if (!timingSafeEqual(challenge, await challengeOf(verifier))) throw new Problem("code_verifier_invalid");
}

/**
 * The join decision; a refusal by the join rules (5, rule 7) leaves user and membership in a batch of its own, so that an
 * administrator can act and the same link works after that. The link stays unspent.
 */
export async function decideAccess(
  services: IdentityServices,
  state: LinkState & { company: CompanyRow },
  request: SignInRequestRow,
): Promise<JoinDecision> {
  const decision = decideJoin(state.company, state.person, request.email, true);
  if (decision.access !== "allowed" && decision.store !== null) {
    const now = services.clock.now();
    const names = usernameCandidates(request.email, randomHex(6));
    await storeRefusal(services, state.company, {
      id: request.id,
      email: request.email,
      state: decision.store,
      source: "magic_link",
      now,
      opening: [createRefusedUser.bind(services.db, request.email, now, ...names)],
      statements: linkRefusal,
      guard: [],
    });
  }
  return decision;
}
