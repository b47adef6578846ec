import type { BroadcastRow } from "../../../../db/email/rows";
import { timeText } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { type AdminCaller, readBearer } from "../../../kit/auth/caller";
import { base64urlToBytes } from "../../../kit/crypto/encoding";
import type { Bound } from "../../../kit/db/statement";
import { followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type OpenedBroadcast, selectBroadcastRow } from "../broadcasts/broadcast";
import type { BulkSender } from "../broadcasts/broadcast-sender";
import { needsIdentity } from "../recipients/identity-audience";
import { sealBearer } from "../recipients/seal";
import { continueBroadcast } from "../recipients/step";
import { countRecipients } from "./audience-split";
import { cancelBroadcast, pauseBroadcast, resumeBroadcast, startBroadcast } from "./sending.store";

const MAX_AHEAD_MS = 90 * DAY_MS;
/** A token is stored for at most this time. */
const MAX_BEARER_MS = 15 * MINUTE_MS;

/** Returns the time of a schedule, or null for at once. Throws 400 `send_at: [invalid|out_of_range]`. */
export function readSendAt(value: string | null | undefined, now: number): number | null {
  if (value === undefined || value === null) return null;
  const at = timeText().safeParse(value).data;
  if (at === undefined) throw invalid({ send_at: ["invalid"] });
  if (at <= now || at > now + MAX_AHEAD_MS) throw invalid({ send_at: ["out_of_range"] });
  return at;
}

/** Returns the sender. Throws 409 with the code of the reason why there is none, or `lane_paused` with `Retry-After`. */
export function requireBulkSender(bulk: BulkSender) {
  if (!bulk.ok) throw new Problem(bulk.code);
  if (bulk.pause === null) return bulk.sender;
  // 60 s for a pause of all companies and 300 s for a pause of this company, as for other mail.
  const seconds = bulk.pause.company_id === 0 ? 60 : 300;
  throw new Problem("lane_paused", { headers: { "retry-after": String(seconds) } });
}

/** Throws 409 `broadcast_not_draft` when the broadcast was already sent or scheduled. */
export function requireEditable(row: Pick<BroadcastRow, "state">): void {
  if (!isEditable(row)) throw new Problem("broadcast_not_draft");
}

const isEditable = ({ state }: Pick<BroadcastRow, "state">): boolean => state === "draft" || state === "failed";

/**
 * Queues or schedules a broadcast with its audit entry, and requests its first step. The token of the caller is stored,
 * encrypted, until the audience is complete, if identity must read the audience; a scheduled broadcast stores only who
 * scheduled it. Throws, in this order: 409 `broadcast_not_draft`, the code of the sender, `lane_paused`, the problems of the
 * audience, 400 `subject: [required]`, `audience_empty` and `audience_too_large` with `limit`.
 */
export async function sendBroadcast(
  services: EmailServices,
  caller: AdminCaller,
  { row, audience, content, bulk }: OpenedBroadcast,
  { request, sendAt }: { request: Request; sendAt: number | null },
): Promise<void> {
  const { clock, settings, dbOf } = services;
  requireEditable(row);
  const sender = requireBulkSender(bulk);
  const { id, company_id: companyId, seal_id: sealId } = row;
  const bearer = readBearer(request);
  const total = await countRecipients(services, companyId, audience, bearer);
  if ((content?.subject ?? "") === "") throw invalid({ subject: ["required"] });
  if (total === 0) throw new Problem("audience_empty");
  const limit = settings.broadcastMaxRecipients;
  if (total > limit) throw new Problem("audience_too_large", { extra: { limit } });
  const now = clock.now();
  const needsToken = sendAt === null && needsIdentity(audience);
  const sealed = needsToken ? await sealBearer(bearer, { companyId, sealId }, await services.keys()) : null;
  const start = startBroadcast({
    id,
    state: sendAt === null ? "queued" : "scheduled",
    scope: sender.scope,
    from: sender.from.address,
    bearer: sealed,
    bearerEnd: sealed === null ? null : Math.min(expiryOf(bearer, now), now + MAX_BEARER_MS),
    userId: caller.userId,
    sendAt,
    now,
  });
  const action = sendAt === null ? "broadcast.sent" : "broadcast.scheduled";
  const entry = changeEntry({
    actor: actorOf(caller),
    companyId,
    action,
    target: `broadcast:${id}`,
    changes: { total },
    now,
  });
  const { started, stored } = await dbOf(companyId).batch({
    started: followedBy(start, entry),
    stored: selectBroadcastRow(id),
  });
  if (stored.first === null) throw new Problem("broadcast_not_found");
  // Its newsletter was deleted in the meantime, so it has no subscribers.
  if (started.changes === 0) throw new Problem(isEditable(stored.first) ? "audience_empty" : "broadcast_not_draft");
  if (sendAt === null) await continueBroadcast(services, { id, company_id: companyId });
}

/** Returns when a verified token ends, in unix ms. A token without a readable end counts as ending with the storage time. */
function expiryOf(bearer: string, now: number): number {
  const [, payload = ""] = bearer.split(".");
  const { exp } = JSON.parse(new TextDecoder().decode(base64urlToBytes(payload))) as { exp?: number };
  return exp === undefined ? now + MAX_BEARER_MS : exp * SECOND_MS;
}

const MOVES = {
  pause: { move: pauseBroadcast, action: "broadcast.paused" },
  resume: { move: resumeBroadcast, action: "broadcast.resumed" },
  cancel: { move: cancelBroadcast, action: "broadcast.cancelled" },
} as const;

/**
 * Pauses, resumes or cancels a broadcast with its audit entry. Throws 409 `broadcast_state_conflict` with `state` when its state
 * does not allow that. A resumed or cancelled broadcast continues at once.
 */
export async function moveBroadcast(
  services: EmailServices,
  caller: AdminCaller,
  { id, company_id: companyId }: BroadcastRow,
  verb: keyof typeof MOVES,
): Promise<void> {
  const now = services.clock.now();
  const { move, action } = MOVES[verb];
  const entry = changeEntry({ actor: actorOf(caller), companyId, action, target: `broadcast:${id}`, now });
  const change: Bound = move({ id, now });
  const { changed, stored } = await services.dbOf(companyId).batch({
    changed: followedBy(change, entry),
    stored: selectBroadcastRow(id),
  });
  if (stored.first === null) throw new Problem("broadcast_not_found");
  if (changed.changes === 0) throw new Problem("broadcast_state_conflict", { extra: { state: stored.first.state } });
  if (verb !== "pause") await continueBroadcast(services, { id, company_id: companyId });
}
