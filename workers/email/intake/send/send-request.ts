import { type CatalogEvent, findEvent } from "../../../../schemas/email/content/catalog";
import { tryParse, unwrap } from "../../../kit/http/request/parsed";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { ChosenLanguage, PinnedContent } from "../../content/documents/content";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { checkLane, readTtlMs, readUsePlatformSender } from "../submission/fields";
import { requireContent, requireSender } from "../submission/sendable";
import {
  type CustomTemplateRead,
  customTemplateRead,
  openSubmit,
  type SubmitContext,
  type SubmitPath,
} from "../submission/submission";

/** A direct send that is opened, with the fields of its path and the company's copy that it would be made of. */
export type OpenedSend<F> = { context: SubmitContext; fields: F; results: CustomTemplateRead };

/** Opens a direct send: the event is that of `template_key`, judged together with `lane`. */
export const openSend = <F extends { addresses: readonly string[] }>(
  request: Request,
  services: EmailServices,
  { read, ...opening }: { path: SubmitPath; limit: number; read: (body: JsonObject) => F },
) =>
  openSubmit(request, services, {
    ...opening,
    read: (body) => ({ ...read(body), event: tryParse(() => findTemplate(body)) }),
    admit: (fields, body, client) => {
      const event = unwrap(fields.event);
      checkLane(body, event, client);
      return event;
    },
    reads: customTemplateRead,
  });

/** How a direct send wants its mail. */
type SendOptions = { language: ChosenLanguage; ttlMs: number | null; usePlatformSender: boolean };

/** Language, life and sender that the request asks for; refuses what the event does not allow. */
export function readOptions(context: SubmitContext, services: EmailServices): SendOptions {
  const { body, event, client } = context;
  const language = unwrap(context.language);
  const ttlMs = readTtlMs(body, event, services.settings);
  return { language, ttlMs, usePlatformSender: readUsePlatformSender(body, event, client) };
}

/** The lane runs, somebody can send, there is something to say; answers sender and content. */
export async function requireSendable(
  { context, results }: Pick<OpenedSend<unknown>, "context" | "results">,
  { language, usePlatformSender }: SendOptions,
  services: EmailServices,
): Promise<{ sender: Sender; content: PinnedContent }> {
  const sender = await requireSender(context, usePlatformSender, services);
  // Mail to the staff of the platform is no company's.
  const customTemplate = usePlatformSender
    ? ({ customTemplate: null, defaultReason: "platform_sender" } as const)
    : { customTemplate: results.customTemplate.first };
  return { sender, content: requireContent(context, language, customTemplate, services) };
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
