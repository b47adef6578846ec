import type { CompanyProviderRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { DeliveryEntry } from "../messages/trace";
import type { SenderKeys } from "../sender/credentials";
import {
  companySender,
  isPlatformAddress,
  otherSender,
  platformSender,
  type Scope,
  type Sender,
  type SenderChoice,
  type SenderSettings,
} from "../sender/sender";
import { LANE_POLICIES, type LocalCode } from "./policy";

/** The trace reason for an attempt that uses the other sender because the breaker of the first sender is open. */
export const BREAKER_OPEN = "breaker_open";

/**
 * The facts that decide the sender of an attempt. `scope` is the scope that was stored when the message was accepted; it
 * decides the first sender. The other sender is the one that otherSender returns.
 */
export type AttemptSenderInput = {
  lane: Lane;
  companyId: number;
  scope: Scope;
  /** Whether the platform sender may send the message; see SenderInput. */
  hasPlatform: boolean;
  attempt: number;
  /** An earlier attempt switched the message to the other sender. */
  usesOtherSender: boolean;
  /**
   * The last attempt if its outcome is unknown, else null. If the first sender made that attempt, the first sender also makes
   * this one, so that a duplicate has the same From address.
   */
  repeatedAttempt: Pick<DeliveryEntry, "scope" | "provider"> | null;
  providerRow: CompanyProviderRow | null;
  /** Returns whether the breaker of this sender is open for the company. */
  isOpen: (sender: Sender) => boolean;
};

/** The sender of an attempt, or the reason why none exists. `canSwitch`: a later attempt can use another sender. */
export type DeliverySender = { ok: true; sender: Sender; canSwitch: boolean } | { ok: false; code: LocalCode };

/** Returns the sender of this attempt with its current credentials, or the code of the reason why none exists. */
export async function senderOfAttempt(
  input: AttemptSenderInput,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<DeliverySender> {
  const { lane, companyId, attempt, usesOtherSender } = input;
  const isPlatformCompany = settings.platformCompanyIds.has(companyId);
  const first = await firstSender(input, isPlatformCompany, settings, keys);
  if (!first.ok) return first;
  const { repeatedAttempt } = input;
  const isRepeat = repeatedAttempt?.scope === first.sender.scope && repeatedAttempt.provider === first.sender.provider;
  if (isRepeat) return { ...first, canSwitch: false };
  const policy = LANE_POLICIES[lane];
  // A second copy by another sender could not be recognized as a duplicate, so bulk mail has one sender.
  if (lane === "bulk" || (lane !== "auth" && !isPlatformCompany)) return { ...first, canSwitch: false };
  const other = await otherSender(first.sender, lane, settings, keys);
  if (other !== null && (usesOtherSender || attempt >= policy.switchFrom))
    return { ok: true, sender: other, canSwitch: false };
  if (other !== null && lane === "auth" && input.isOpen(first.sender)) {
    return { ok: true, sender: { ...other, reason: BREAKER_OPEN }, canSwitch: false };
  }
  return { ...first, canSwitch: other !== null };
}

type FirstSender = { ok: true; sender: Sender } | { ok: false; code: LocalCode };

async function firstSender(
  { lane, scope, hasPlatform, providerRow }: AttemptSenderInput,
  isPlatformCompany: boolean,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<FirstSender> {
  if (scope === "platform") {
    if (!hasPlatform && !isPlatformCompany) return { ok: false, code: "platform_sender_not_allowed" };
    return toFirstSender(await platformSender(lane, settings, keys));
  }
  const companyChoice = await readCompanySender(lane, providerRow, settings, keys);
  if (companyChoice.ok) {
    const isMisuse = !isPlatformCompany && isPlatformAddress(companyChoice.sender.from.address, settings);
    return isMisuse ? { ok: false, code: "platform_sender_not_allowed" } : companyChoice;
  }
  // Sign-in mail must arrive, so the platform sends it when the credentials of the company are missing.
  if (hasPlatform) return toFirstSender(await platformSender(lane, settings, keys, "credentials_gone"));
  if (companyChoice.code === "bulk_sender_required" && isPlatformCompany)
    return toFirstSender(await platformSender(lane, settings, keys));
  return toFirstSender(companyChoice);
}

async function readCompanySender(
  lane: Lane,
  row: CompanyProviderRow | null,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  return row === null ? { ok: false, code: "provider_not_configured" } : companySender(lane, row, settings, keys);
}

function toFirstSender(choice: SenderChoice): FirstSender {
  if (choice.ok) return choice;
  return { ok: false, code: choice.code === "bulk_sender_required" ? "provider_not_configured" : choice.code };
}
