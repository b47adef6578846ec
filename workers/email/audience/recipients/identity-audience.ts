import * as z from "zod";
import type { BroadcastRow } from "../../../../db/email/rows";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { type AudienceInput, type AudienceMember, MAX_AUDIENCE_PAGE } from "../../../../schemas/rpc";
import { errorName } from "../../../kit/log";
import { readBoundedText } from "../../../kit/net/bounded-text";
import { SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";

const TIMEOUT_MS = 15 * SECOND_MS;
/** Maximum size of the response to a count and to a page of 1,000 users. */
const MAX_COUNT_BYTES = 64 * 1024;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export type Audience = BroadcastRow["audience"];

/** The audience of a company that identity knows: the users of a filter, or the picked users. */
export type IdentityAudience = { companyId: number; audience: Audience };

/** The permission to read the audience: the access token of a user, or the id of the user who scheduled the broadcast. */
export type AudiencePermission = { bearer: string } | { grantedBy: number };

/**
 * The reason why identity returned no audience. `token_ended`: it did not accept the token. `not_permitted`: the user may not
 * send for the company. `field` is the invalid filter.
 */
export type AudienceFailure =
  | { ok: false; reason: "token_ended" | "not_permitted" | "unavailable" | "not_configured" }
  | { ok: false; reason: "invalid"; field: string };

/** A page of users. `nextCursor` is null on the last page. A page may be short, or empty, although more follow. */
export type AudiencePage = { ok: true; users: AudienceMember[]; nextCursor: string | null };

type AudienceServices = Pick<EmailServices, "identity" | "settings" | "fetch" | "log" | "requestId">;

const countBody = lazySchema(() => z.object({ count: z.int().min(0) }));
const pageBody = lazySchema(() =>
  z.object({
    results: z
      .array(
        z.object({
          id: z.int().min(1),
          email: z.string(),
          first_name: z.string(),
          last_name: z.string(),
          language: z.enum(["en", "fr"]).nullable(),
        }),
      )
      .max(MAX_AUDIENCE_PAGE),
    next_cursor: z.string().max(3000).nullable(),
  }),
);
const errorBody = lazySchema(() => z.object({ field: z.string() }));

/** Returns whether identity knows a part of the audience: every filter, and picked users. */
export const needsIdentity = ({ mode, user_ids }: Audience): boolean =>
  mode === "filter" || (mode === "pick" && user_ids.length > 0);

/** Returns the number of users in the audience, with the access token of the caller. */
export async function countAudience(
  services: AudienceServices,
  { companyId, audience }: IdentityAudience,
  bearer: string,
): Promise<{ ok: true; count: number } | AudienceFailure> {
  const query = { ...filterOf(audience), company_id: String(companyId), count_only: "true" };
  const response = await request(services, query, { bearer, maxBytes: MAX_COUNT_BYTES });
  if (!response.ok) return response;
  const parsed = countBody.safeParse(response.body);
  return parsed.success ? { ok: true, count: parsed.data.count } : unavailable(services, "malformed response");
}

/** Returns the page of users after `cursor`, which is "" for the first page. */
export async function readAudiencePage(
  services: AudienceServices,
  { companyId, audience }: IdentityAudience,
  permission: AudiencePermission,
  { cursor, pageSize = MAX_AUDIENCE_PAGE }: { cursor: string; pageSize?: number },
): Promise<AudiencePage | AudienceFailure> {
  if ("grantedBy" in permission) {
    const { grantedBy } = permission;
    const input = { company_id: companyId, granted_by: grantedBy, filter: filterOf(audience), cursor };
    return callAudience(services, { ...input, page_size: pageSize });
  }
  const page = { company_id: String(companyId), cursor, page_size: String(pageSize) };
  const response = await request(
    services,
    { ...filterOf(audience), ...page },
    { bearer: permission.bearer, maxBytes: MAX_PAGE_BYTES },
  );
  if (!response.ok) return response;
  return pageOf(services, response.body);
}

/**
 * Returns null while the user who scheduled a broadcast may send for the company, else the reason why it cannot be sent. For
 * audiences that identity does not know: it checks the user with each page of others.
 */
export async function checkGrant(
  services: AudienceServices,
  { companyId, grantedBy }: { companyId: number; grantedBy: number | null },
): Promise<AudienceFailure | null> {
  if (grantedBy === null) return { ok: false, reason: "not_permitted" };
  // The smallest page: the row of the user themselves.
  const input = { company_id: companyId, granted_by: grantedBy, filter: { user_ids: String(grantedBy) }, page_size: 1 };
  const page = await callAudience(services, { ...input, cursor: "" });
  return page.ok ? null : page;
}

/** Throws the problem with which a request that read an audience responds. */
export function rejectAudience(failure: AudienceFailure): never {
  if (failure.reason === "invalid") {
    throw new Problem("validation_failed", { field_errors: { [`audience.${failure.field}`]: ["invalid"] } });
  }
  throw new Problem(PROBLEMS[failure.reason]);
}

const PROBLEMS = {
  token_ended: "forbidden",
  not_permitted: "forbidden",
  unavailable: "identity_unavailable",
  not_configured: "identity_not_configured",
} as const;

/** Returns the query parameters of the filters that apply in the mode of the audience. */
function filterOf(audience: Audience): Record<string, string> {
  const { access, roles, group_ids, user_ids } = audience;
  if (audience.mode === "pick") return { access, user_ids: user_ids.join() };
  const filters = {
    roles: roles.join(),
    group_ids: group_ids.join(),
    joined_after: audience.joined_after,
    joined_before: audience.joined_before,
    seen_after: audience.seen_after,
    seen_before: audience.seen_before,
  };
  return { access, ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) };
}

/** Returns a page of an audience for the user of a grant, over RPC. */
async function callAudience(services: AudienceServices, input: AudienceInput): Promise<AudiencePage | AudienceFailure> {
  const { rpc } = services.identity;
  // A deployment without the binding has no RPC, whatever its type says.
  if ((rpc as typeof rpc | undefined) === undefined) return { ok: false, reason: "not_configured" };
  try {
    const result = await withTimeout(rpc.audience(input), TIMEOUT_MS);
    return result.ok ? pageOf(services, result) : result;
  } catch (cause) {
    return unavailable(services, errorName(cause));
  }
}

function pageOf(services: AudienceServices, body: unknown): AudiencePage | AudienceFailure {
  const parsed = pageBody.safeParse(body);
  if (!parsed.success) return unavailable(services, "malformed response");
  return { ok: true, users: parsed.data.results, nextCursor: parsed.data.next_cursor };
}

/** Requests an audience over HTTP, at `IDENTITY_SERVICE_URL` or over the binding. Never logs the token or the response. */
async function request(
  services: AudienceServices,
  query: Record<string, string>,
  { bearer, maxBytes }: { bearer: string; maxBytes: number },
): Promise<{ ok: true; body: unknown } | AudienceFailure> {
  const { identity, settings, fetch, requestId } = services;
  const { serviceUrl } = settings.identity;
  const binding = identity.fetch as Fetcher | undefined;
  if (serviceUrl === null && binding === undefined) return { ok: false, reason: "not_configured" };
  const url = `${serviceUrl ?? "https://identity"}/api/v1/users/audience?${new URLSearchParams(query)}`;
  const init: RequestInit = {
    headers: { authorization: `Bearer ${bearer}`, accept: "application/json", "x-request-id": requestId },
    // The token must not reach another host.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  try {
    const call = serviceUrl !== null || binding === undefined ? fetch(url, init) : binding.fetch(url, init);
    const response = await withTimeout(call, TIMEOUT_MS);
    const text = await withTimeout(readBoundedText(response, maxBytes), TIMEOUT_MS);
    if (response.status === 401) return { ok: false, reason: "token_ended" };
    if (response.status === 403) return { ok: false, reason: "not_permitted" };
    if (response.status === 400) {
      const { data } = errorBody.safeParse(JSON.parse(text));
      return data === undefined ? unavailable(services, "HTTP 400") : { ok: false, reason: "invalid", ...data };
    }
    return response.status === 200
      ? { ok: true, body: JSON.parse(text) }
      : unavailable(services, `HTTP ${response.status}`);
  } catch (cause) {
    return unavailable(services, errorName(cause));
  }
}

function unavailable({ log }: AudienceServices, cause: string): AudienceFailure {
  log.warn("audience not read", { cause });
  return { ok: false, reason: "unavailable" };
}
