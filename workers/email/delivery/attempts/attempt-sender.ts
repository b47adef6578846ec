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

/** Why the other sender makes an attempt that the first one would have made. */
export const BREAKER_OPEN = "breaker_open";

/** A claimed message as far as its sender depends on it. `scope` is that of its acceptance. */
export type SenderQuestion = {
  lane: Lane;
  companyId: number;
  scope: Scope;
  /** As SenderInput has it. */
  hasPlatform: boolean;
  attempt: number;
  /** An earlier attempt asked for the other sender. */
  hasMoved: boolean;
  /** The attempt that this one repeats: by the same sender, so that the mail is the same. Null: it repeats none. */
  repeats: Pick<DeliveryEntry, "scope" | "provider"> | null;
  providerRow: CompanyProviderRow | null;
  /** The breaker of a sender of the company is open. */
  isOpen: (sender: Sender) => boolean;
};

/** `canSwitch`: a long wait would be spared by the other sender, which this attempt does not use yet. */
export type DeliverySender = { ok: true; sender: Sender; canSwitch: boolean } | { ok: false; code: LocalCode };

/** Who makes this attempt, by the credentials of this moment. */
export async function senderOfAttempt(
  question: SenderQuestion,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<DeliverySender> {
  const { lane, companyId, attempt, hasMoved } = question;
  const isPlatformCompany = settings.platformCompanyIds.has(companyId);
  const first = await firstSender(question, isPlatformCompany, settings, keys);
  if (!first.ok) return first;
  const { repeats } = question;
  const isRepeat = repeats?.scope === first.sender.scope && repeats.provider === first.sender.provider;
  if (isRepeat) return { ...first, canSwitch: false };
  const policy = LANE_POLICIES[lane];
  if (lane !== "auth" && !isPlatformCompany) return { ...first, canSwitch: false };
  const other = await otherSender(first.sender, lane, settings, keys);
  if (other !== null && (hasMoved || attempt >= policy.switchFrom))
    return { ok: true, sender: other, canSwitch: false };
  if (other !== null && lane === "auth" && question.isOpen(first.sender)) {
    return { ok: true, sender: { ...other, reason: BREAKER_OPEN }, canSwitch: false };
  }
  return { ...first, canSwitch: other !== null };
}

type FirstSender = { ok: true; sender: Sender } | { ok: false; code: LocalCode };

async function firstSender(
  { lane, scope, hasPlatform, providerRow }: SenderQuestion,
  isPlatformCompany: boolean,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<FirstSender> {
  if (scope === "platform") {
    if (!hasPlatform && !isPlatformCompany) return { ok: false, code: "platform_sender_not_allowed" };
    return toFirst(await platformSender(lane, settings, keys));
  }
  const companyChoice = await readCompanySender(lane, providerRow, settings, keys);
  if (companyChoice.ok) {
    const isMisuse = !isPlatformCompany && isPlatformAddress(companyChoice.sender.from.address, settings);
    return isMisuse ? { ok: false, code: "platform_sender_not_allowed" } : companyChoice;
  }
  // What lets people in must arrive: without the company's credentials the platform sends it.
  if (hasPlatform) return toFirst(await platformSender(lane, settings, keys, "credentials_gone"));
  if (companyChoice.code === "bulk_sender_required" && isPlatformCompany)
    return toFirst(await platformSender(lane, settings, keys));
  return toFirst(companyChoice);
}

async function readCompanySender(
  lane: Lane,
  row: CompanyProviderRow | null,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  return row === null ? { ok: false, code: "provider_not_configured" } : companySender(lane, row, settings, keys);
}

function toFirst(choice: SenderChoice): FirstSender {
  if (choice.ok) return choice;
  return { ok: false, code: choice.code === "bulk_sender_required" ? "provider_not_configured" : choice.code };
}
