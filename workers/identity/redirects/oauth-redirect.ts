import type * as z from "zod";
import type { oauthRedirectBody, oauthRedirectChange } from "../../../schemas/identity/oauth-redirect";
import { uuid } from "../../kit/ids";
import { invalid, Problem } from "../../kit/problem";
import { noteChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import type { IdentityServices } from "../services";
import {
  activateRedirect,
  changeRedirect,
  deleteHostingRedirect,
  deleteRedirect,
  findRedirect,
  findRedirectByOrigin,
  insertRedirect,
  type OauthRedirectRow,
} from "./oauth-redirect.store";
import { isLoopback, parseRedirect } from "./redirect-target";

/** Origins that a company may list (details 7.5). */
const MAX_REDIRECTS = 200;

/** Who changes the allowlist of which company. */
type Change = { services: IdentityServices; request: Request; caller: Caller; companyId: number };

/**
 * The origin that is kept of an address (details 7.5): path and query dropped, host in lower case, default port dropped.
 * 400 `base_url: [invalid]`, or `[https_required]` for http beside loopback outside DEBUG.
 */
export function readOrigin(baseUrl: string, debug: boolean): string {
  const url = parseRedirect(baseUrl);
  // A pattern would be kept as text and match nothing.
  if (!url || url.hostname.includes("*")) throw invalid({ base_url: ["invalid"] });
  if (url.protocol === "http:" && !isLoopback(url) && !debug) throw invalid({ base_url: ["https_required"] });
  return url.origin;
}

/** Adds an origin; 409 `conflict` when it is listed, `limit_reached` when the list is full. */
export async function addRedirect(change: Change, input: z.output<typeof oauthRedirectBody>) {
  const origin = readOrigin(input.base_url, change.services.settings.debug);
  const { row, isNew } = await insertOnce(change, { ...input, origin }, []);
  if (!isNew) throw new Problem("conflict");
  return row;
}

/** Makes an origin active for hosting: a present row, which keeps its source, or a new one (details 7.5). */
export async function putHostingRedirect(change: Change, input: { base_url: string; label?: string | undefined }) {
  const { db, settings } = change.services;
  const origin = readOrigin(input.base_url, settings.debug);
  const activate = activateRedirect.bind(db, change.companyId, origin, input.label ?? null);
  const note = await noteRedirect(change, "updated", { base_url: origin, source: "hosting" });
  const row = { origin, label: input.label ?? "", source: "hosting" as const, is_active: true };
  return insertOnce(change, row, [activate, note]);
}

/** The row of an origin after `first` and an insert in one batch; the id tells whether this call made it. */
async function insertOnce(
  change: Change,
  input: { origin: string; label: string; source: "manual" | "hosting"; is_active: boolean },
  first: D1PreparedStatement[],
): Promise<{ row: OauthRedirectRow; isNew: boolean }> {
  const { services, companyId } = change;
  const { db, clock } = services;
  const { origin, label, source, is_active } = input;
  const id = uuid();
  const results = await db.batch<OauthRedirectRow[]>([
    ...first,
    insertRedirect.bind(db, companyId, id, origin, label, source, is_active, clock.now(), MAX_REDIRECTS),
    await noteRedirect(change, "created", { redirect_id: id, base_url: origin, source }),
    findRedirectByOrigin.bind(db, companyId, origin),
  ]);
  const row = results.at(-1)?.results[0];
  if (!row) throw new Problem("limit_reached");
  return { row, isNew: row.id === id };
}

/**
 * Changes a row that was read; nothing is written when nothing would be another. 409 `conflict` when another row has the
 * new origin, 404 when it went meanwhile.
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
  const given = { base_url: origin, label, is_active };
  const present = { base_url: before.base_url, label: before.label, is_active: before.is_active === 1 };
  const names = ["base_url", "label", "is_active"] as const;
  const changed_fields = names.filter((name) => given[name] !== undefined && given[name] !== present[name]);
  if (changed_fields.length === 0) return before;
  const note = {
    redirect_id: id,
    changed_fields,
    ...(changed_fields.includes("base_url") ? { base_url: origin } : {}),
  };
  const [changed, , left] = await db.batch<[OauthRedirectRow, unknown, OauthRedirectRow]>([
    changeRedirect.bind(db, companyId, id, origin ?? null, label ?? null, is_active ?? null),
    await noteRedirect(change, "updated", note),
    findRedirect.bind(db, companyId, id),
  ]);
  const row = changed.results[0];
  if (!row) throw new Problem(left.results[0] ? "conflict" : "not_found");
  return row;
}

/** Takes a row away. */
export async function removeRedirect(change: Change, row: OauthRedirectRow): Promise<void> {
  const { db } = change.services;
  await db.batch([
    deleteRedirect.bind(db, change.companyId, row.id),
    await noteRedirect(change, "deleted", { redirect_id: row.id, base_url: row.base_url, source: row.source }),
  ]);
}

/** Takes the origin away when hosting had put it there; a manual row stays. */
export async function removeHostingRedirect(change: Change, baseUrl: string): Promise<void> {
  const { db, settings } = change.services;
  const origin = readOrigin(baseUrl, settings.debug);
  await db.batch([
    deleteHostingRedirect.bind(db, change.companyId, origin),
    await noteRedirect(change, "deleted", { base_url: origin, source: "hosting" }),
  ]);
}

function noteRedirect(change: Change, verb: "created" | "updated" | "deleted", data: Record<string, unknown>) {
  const { services, request, caller, companyId } = change;
  return noteChange(services, request, { caller, companyId, type: `identity.oauth_redirect.${verb}`, data });
}
