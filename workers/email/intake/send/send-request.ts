import { type CatalogEvent, findEvent } from "../../../../schemas/email/catalog";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { ChosenLanguage, PinnedContent } from "../../content/documents/content";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { checkLane, readLanguage, readTtlMs, readUsePlatformSender } from "../acceptance/fields";
import { requireContent, requireSender } from "../acceptance/sendable";
import { type CopyRead, copyRead, openSubmit, type SubmitContext, type SubmitPath } from "../acceptance/submission";

/** A direct send that is opened, with the company's copy that it would be made of. */
export type OpenedSend = { context: SubmitContext; results: CopyRead };

/** Opens a direct send: the event is that of `template_key`, judged together with `lane`. */
export const openSend = (
  request: Request,
  services: EmailServices,
  opening: { path: SubmitPath; limit: number; addresses: (body: JsonObject) => unknown[] },
) =>
  openSubmit(request, services, {
    ...opening,
    findEvent: findTemplate,
    admit: (body, client) => {
      const event = findTemplate(body);
      checkLane(body, event, client);
      return event;
    },
    reads: copyRead,
  });

/** How a direct send wants its mail. */
type SendOptions = { language: ChosenLanguage; ttlMs: number | null; usePlatformSender: boolean };

/** Language, life and sender that the request asks for; refuses what the event does not allow. */
export function readOptions({ body, event, client }: SubmitContext, services: EmailServices): SendOptions {
  const language = readLanguage(body);
  const ttlMs = readTtlMs(body, event, services.settings);
  return { language, ttlMs, usePlatformSender: readUsePlatformSender(body, event, client) };
}

/** The lane runs, somebody can send, there is something to say; answers sender and content. */
export async function requireSendable(
  { context, results }: OpenedSend,
  { language, usePlatformSender }: SendOptions,
  services: EmailServices,
): Promise<{ sender: Sender; content: PinnedContent }> {
  const sender = await requireSender(context, usePlatformSender, services);
  // Mail to the staff of the platform is no company's.
  const copy = usePlatformSender
    ? ({ copy: null, withoutCopy: "platform_sender" } as const)
    : { copy: results.copy.first };
  return { sender, content: requireContent(context, language, copy, services) };
}

/** The catalog entry; 400 `template_key: [required]`, 404 `template_not_found`. */
function findTemplate(body: JsonObject): CatalogEvent {
  const key = body.template_key;
  if (isAbsent(key) || key === "") throw invalid({ template_key: ["required"] });
  if (typeof key !== "string") throw invalid({ template_key: ["invalid"] });
  const event = findEvent(key);
  if (event === undefined) throw new Problem("template_not_found");
  return event;
}
