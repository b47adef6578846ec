import type * as z from "zod";
import type { oauthRedirectBody, oauthRedirectChange } from "../../../../schemas/identity/company/oauth-redirect";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import type { Caller } from "../../caller/credentials/caller";
import { Problem } from "../../problem";
import { changeEntry, systemChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import {
  activateRedirect,
  changeRedirect,
  deleteHostingRedirect,
  deleteRedirect,
  findActiveOrigin,
  findOldestOrigin,
  findRedirect,
  findRedirectByOrigin,
  insertRedirect,
  listActiveOrigins,
  type OauthRedirectRow,
} from "./oauth-redirect.store";
import { isLoopback, parseRedirect } from "./redirect-target";

/** Maximum number of origins on a company's allowlist. */
const MAX_REDIRECTS = 200;

/** The services, the company whose allowlist changes, and the request with its caller. */
type Change = { services: IdentityServices; companyId: number; request: Request; caller: Caller };

/** A change that the platform makes, without a caller. */
export type SystemChange = Pick<Change, "services" | "companyId">;

/** Returns the statement that selects a row if the origin is an active entry of the company's allowlist. */
export function selectListedOrigin(companyId: number, origin: string): Bound<{ base_url: string }> {
  return findActiveOrigin({ companyId, origin });
}

/** Returns the active origins of the company's allowlist, the oldest first. */
export async function listOrigins({ db }: Pick<IdentityServices, "db">, companyId: number): Promise<string[]> {
  return (await db.all(listActiveOrigins({ companyId, limit: MAX_REDIRECTS }))).map(({ base_url }) => base_url);
}

/** Returns the statement that selects the company's oldest active origin, the default target of links. */
export function selectOldestOrigin(companyId: number): Bound<{ base_url: string }> {
  return findOldestOrigin({ companyId });
}

/**
 * Returns the origin of a URL as it is stored: without path and query, host in lower case, without a default port. Throws 400
 * `base_url: [invalid]`, or `[https_required]` for http outside DEBUG unless the host is loopback.
 */
export function readOrigin(baseUrl: string, debug: boolean): string {
  const url = parseRedirect(baseUrl);
  // A wildcard would be stored literally and never match.
  if (!url || url.hostname.includes("*")) throw invalid({ base_url: ["invalid"] });
  if (url.protocol === "http:" && !isLoopback(url) && !debug) throw invalid({ base_url: ["https_required"] });
  return url.origin;
}

/** Adds an origin. Throws 409 `conflict` when it is already listed and `limit_reached` when the list is full. */
export async function addRedirect(change: Change, input: z.output<typeof oauthRedirectBody>) {
  const origin = readOrigin(input.base_url, change.services.settings.debug);
  const { row, isNew } = await insertOnce(change, { ...input, origin }, null);
  if (!isNew) throw new Problem("conflict");
  return row;
}

/**
 * Activates an origin for hosting. An existing row keeps its source; otherwise a new row is inserted. Throws `limit_reached`
 * when the list is full.
 */
export async function putHostingRedirect(
  change: Change | SystemChange,
  input: { base_url: string; label?: string | undefined },
) {
  const { companyId } = change;
  const origin = readOrigin(input.base_url, change.services.settings.debug);
  const activated = followedBy(
    activateRedirect({ companyId, origin, label: input.label ?? null }),
    await auditRedirect(change, "updated", { base_url: origin, source: "hosting" }),
  );
  const row = { origin, label: input.label ?? "", source: "hosting" as const, is_active: true };
  return insertOnce(change, row, activated);
}

/**
 * Runs `first` and the insert in one batch and returns the row of the origin. `isNew` is true when this request inserted the
 * row.
 */
async function insertOnce(
  change: Change | SystemChange,
  input: { origin: string; label: string; source: "manual" | "hosting"; is_active: boolean },
  first: Bound | null,
): Promise<{ row: OauthRedirectRow; isNew: boolean }> {
  const { services, companyId } = change;
  const { db, clock } = services;
  const { origin, label, source, is_active: isActive } = input;
  const id = uuid();
  const now = clock.now();
  const { present } = await db.batch({
    first,
    inserted: followedBy(
      insertRedirect({ companyId, id, origin, label, source, isActive, now, max: MAX_REDIRECTS }),
      await auditRedirect(change, "created", { redirect_id: id, base_url: origin, source }),
    ),
    present: findRedirectByOrigin({ companyId, origin }),
  });
  const row = present.first;
  if (!row) throw new Problem("limit_reached");
  return { row, isNew: row.id === id };
}

/**
 * Changes a row. Writes nothing when no value differs. Throws 409 `conflict` when another row has the new origin, and 404
 * when the row was deleted meanwhile.
 */
export async function editRedirect(
  change: Change,
  before: OauthRedirectRow,
  input: z.output<typeof oauthRedirectChange>,
): Promise<OauthRedirectRow> {
  const { services, companyId } = change;
  const { db, settings } = services;
  const { id } = before;
  const { base_url, label, is_active } = input;
  const origin = base_url === undefined ? undefined : readOrigin(base_url, settings.debug);
  const newValues = { base_url: origin, label, is_active };
  const names = ["base_url", "label", "is_active"] as const;
  const changed_fields = names.filter((name) => newValues[name] !== undefined && newValues[name] !== before[name]);
  if (changed_fields.length === 0) return before;
  const data = {
    redirect_id: id,
    changed_fields,
    ...(changed_fields.includes("base_url") ? { base_url: origin } : {}),
  };
  const { changed, remaining } = await db.batch({
    changed: followedBy(
      changeRedirect({ companyId, id, origin: origin ?? null, label: label ?? null, isActive: is_active ?? null }),
      await auditRedirect(change, "updated", data),
    ),
    remaining: findRedirect({ companyId, id }),
  });
  if (!changed.first) throw new Problem(remaining.first ? "conflict" : "not_found");
  return changed.first;
}

/** Deletes a row and inserts the audit entry. */
export async function removeRedirect(change: Change, row: OauthRedirectRow): Promise<void> {
  const { services, companyId } = change;
  const { id: redirect_id, base_url, source } = row;
  const entry = await auditRedirect(change, "deleted", { redirect_id, base_url, source });
  await services.db.run(followedBy(deleteRedirect({ companyId, id: row.id }), entry));
}

/** Deletes the row of an origin if hosting added it. A row that was added manually remains. */
export async function removeHostingRedirect(change: Change | SystemChange, baseUrl: string): Promise<void> {
  const { services, companyId } = change;
  const origin = readOrigin(baseUrl, services.settings.debug);
  const entry = await auditRedirect(change, "deleted", { base_url: origin, source: "hosting" });
  await services.db.run(followedBy(deleteHostingRedirect({ companyId, origin }), entry));
}

async function auditRedirect(
  change: Change | SystemChange,
  verb: "created" | "updated" | "deleted",
  data: Record<string, unknown>,
): Promise<Bound> {
  const { services, companyId } = change;
  const type = `identity.oauth_redirect.${verb}` as const;
  if (!("caller" in change)) return systemChangeEntry(services, { companyId, type, data });
  return changeEntry(services, change.request, { caller: change.caller, companyId, type, data });
}
