import type { CustomTemplateContent } from "../../../../db/email/rows";
import { type ChosenLanguage, type PinnedContent, pinContent } from "../../content/documents/content";
import { libraryMissing } from "../../content/library/load-library";
import { chooseSender, findPause, type Sender, type SenderChoice } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import type { SubmitContext } from "./submission";
import type { SubmitFacts } from "./submission.store";

/** Returns the sender. Throws `lane_paused`, or the code of the reason why no sender exists. */
export function requireSender(
  { origin: { companyId }, event, facts, keys }: SubmitContext,
  usePlatformSender: boolean,
  services: Pick<EmailServices, "settings">,
): Promise<Sender> {
  return requireSenderOf({ companyId, event, facts, keys }, usePlatformSender, services);
}

/** Like requireSender, for mail that no service requested. */
export async function requireSenderOf(
  {
    companyId,
    event,
    facts,
    keys,
  }: Pick<SubmitContext, "event" | "keys"> & { companyId: number; facts: Pick<SubmitFacts, "provider" | "pauses"> },
  usePlatformSender: boolean,
  { settings }: Pick<EmailServices, "settings">,
): Promise<Sender> {
  const choice = await chooseSender(
    {
      lane: event.lane_class,
      companyId,
      usePlatformSender,
      hasPlatform: event.platform_sender,
      providerRow: facts.provider,
    },
    settings,
    keys,
  );
  return requireUnpaused(choice, facts);
}

function requireUnpaused(choice: SenderChoice, facts: Pick<SubmitFacts, "pauses">): Sender {
  const pause = findPause(facts.pauses, choice.ok ? choice.sender : null);
  if (pause !== null) {
    // `Retry-After` is 60 s for a pause of all companies and 300 s for a pause of this company.
    const seconds = pause.company_id === 0 ? 60 : 300;
    throw new Problem("lane_paused", { headers: { "retry-after": String(seconds) } });
  }
  if (!choice.ok) throw new Problem(choice.code);
  return choice.sender;
}

/**
 * Returns the content, which comes from the custom template if one is given. Throws 503 `library_not_synced` if default
 * content is needed but not stored.
 */
export function requireContent(
  { event, facts }: SubmitContext,
  language: ChosenLanguage,
  customTemplate: { customTemplate: CustomTemplateContent | null; defaultReason?: "no_copy" | "platform_sender" },
  services: EmailServices,
): PinnedContent {
  const { authLinkHosts } = services.settings;
  const content = pinContent({ event, language, defaults: facts.contents, authLinkHosts, ...customTemplate });
  if (content === null) throw libraryMissing(services);
  return content;
}
