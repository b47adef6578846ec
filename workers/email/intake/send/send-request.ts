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

/** An opened direct send with the fields of its path and the company's custom template for it. */
export type OpenedSend<F> = { context: SubmitContext; fields: F; results: CustomTemplateRead };

/** Opens a direct send: `template_key` names the event, which is checked together with `lane`. */
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

/** The options of a direct send. */
type SendOptions = { language: ChosenLanguage; ttlMs: number | null; usePlatformSender: boolean };

/** Reads language, time to live and sender of the request; throws for a value that the event does not allow. */
export function readOptions(context: SubmitContext, services: EmailServices): SendOptions {
  const { body, event, client } = context;
  const language = unwrap(context.language);
  const ttlMs = readTtlMs(body, event, services.settings);
  return { language, ttlMs, usePlatformSender: readUsePlatformSender(body, event, client) };
}

/** Returns sender and content; throws when the lane is paused, no sender is available or content is missing. */
export async function requireSendable(
  { context, results }: Pick<OpenedSend<unknown>, "context" | "results">,
  { language, usePlatformSender }: SendOptions,
  services: EmailServices,
): Promise<{ sender: Sender; content: PinnedContent }> {
  const sender = await requireSender(context, usePlatformSender, services);
  // Mail to platform staff never uses a company's custom template.
  const customTemplate = usePlatformSender
    ? ({ customTemplate: null, defaultReason: "platform_sender" } as const)
    : { customTemplate: results.customTemplate.first };
  return { sender, content: requireContent(context, language, customTemplate, services) };
}

/** Returns the catalog entry; throws 400 `template_key: [required|invalid]`, 404 `template_not_found`. */
function findTemplate(body: JsonObject): CatalogEvent {
  const key = body.template_key;
  if (isAbsent(key) || key === "") throw invalid({ template_key: ["required"] });
  if (typeof key !== "string") throw invalid({ template_key: ["invalid"] });
  const event = findEvent(key);
  if (event === undefined) throw new Problem("template_not_found");
  return event;
}
