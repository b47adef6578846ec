import type { BroadcastRow, CompanyProviderRow, LaneStateRow } from "../../../../db/email/rows";
import type { PublicBroadcast } from "../../../../schemas/email/audience/broadcasts";
import {
  chooseSender,
  findPause,
  isPlatformAddress,
  type Sender,
  type SenderRefusal,
} from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";

/**
 * The sender of bulk mail of a company, or the code of the reason why it has none. `pause` is the pause that currently holds back
 * the mail of this sender, or null.
 */
export type BulkSender = { pause: LaneStateRow | null } & (
  | { ok: true; sender: Sender }
  | { ok: false; code: SenderRefusal }
);

/** Chooses the sender of bulk mail. `pauses` are the pauses of the bulk lane that are in force for the company. */
export async function chooseBulkSender(
  { settings, keys }: Pick<EmailServices, "settings" | "keys">,
  companyId: number,
  providerRow: CompanyProviderRow | null,
  pauses: readonly LaneStateRow[],
): Promise<BulkSender> {
  const input = { lane: "bulk", companyId, usePlatformSender: false, hasPlatform: false, providerRow } as const;
  const choice = await chooseSender(input, settings, await keys());
  if (!choice.ok) return { ...choice, pause: findPause(pauses, null) };
  const { sender } = choice;
  const isMisuse = sender.scope === "company" && isPlatformAddress(sender.from.address, settings);
  const pause = findPause(pauses, sender);
  if (isMisuse && !settings.platformCompanyIds.has(companyId))
    return { ok: false, code: "platform_sender_not_allowed", pause };
  return { ok: true, sender, pause };
}

const AUTHENTICATION_CHECKS = ["spf", "dkim", "dmarc"];

/** Returns the sender as the API shows it, with the failed DNS checks of the sending domain as warnings. */
export function presentSender(bulk: BulkSender, providerRow: CompanyProviderRow | null): PublicBroadcast["sender"] {
  const isCompany = bulk.ok && bulk.sender.scope === "company";
  const failed = (providerRow?.domain_health?.checks ?? []).filter(
    ({ name, status }) => status === "fail" && AUTHENTICATION_CHECKS.includes(name),
  );
  return {
    from_email: bulk.ok ? bulk.sender.from.address : "",
    from_name: bulk.ok ? bulk.sender.from.name : "",
    delivery: "bulk_lane",
    error_code: bulk.ok ? (bulk.pause === null ? "" : "lane_paused") : bulk.code,
    warnings: isCompany ? failed.map(({ name }) => ({ code: "domain_check_failed", detail: name })) : [],
  };
}

/** Returns whether a broadcast has been sent or scheduled at some time, so that it has counts and a sender. */
export const isStarted = ({ state }: Pick<BroadcastRow, "state">): boolean => state !== "draft";
