import { tryParse, unwrap } from "../../../kit/http/request/parsed";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import type { ChosenLanguage, PinnedContent } from "../../content/documents/content";
import { type RequestedEvent, requestedEvent } from "../../content/event-types/own-event";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { checkLane, readTtlMs, readUsePlatformSender } from "../submission/fields";
import { requireContent, requireSender } from "../submission/sendable";
import {
  type CustomTemplateResults,
  openSubmit,
  type SubmitContext,
  type SubmitPath,
  selectCustomTemplateOf,
} from "../submission/submission";

/** A direct send that openSend has checked, with the fields of its API path and the custom template of the company. */
export type OpenedSend<F> = { context: SubmitContext; fields: F; results: CustomTemplateResults };

/** Checks a direct send with openSubmit, including `lane`. The event type is the `template_key` of the body. */
export const openSend = <F extends { addresses: readonly string[] }>(
  request: Request,
  services: EmailServices,
  { read, ...opening }: { path: SubmitPath; limit: number; read: (body: JsonObject) => F },
) =>
  openSubmit(request, services, {
    ...opening,
    read: (body) => ({ ...read(body), event: tryParse(() => findTemplate(body)) }),
    admit: (findEvent, { body, client }) => {
      const event = findEvent();
      if (event === undefined) throw new Problem("template_not_found");
      checkLane(body, event, client);
      return event;
    },
    reads: selectCustomTemplateOf,
  });

/** The options of a direct send. */
type SendOptions = { language: ChosenLanguage; ttlMs: number | null; usePlatformSender: boolean };

/** Reads language, TTL and sender of the request. Throws for a value that the event does not allow. */
export function readOptions(context: SubmitContext, services: EmailServices): SendOptions {
  const { body, event, client } = context;
  const language = unwrap(context.language);
  const ttlMs = readTtlMs(body, event, services.settings);
  return { language, ttlMs, usePlatformSender: readUsePlatformSender(body, event, client) };
}

/** Returns the sender and the content. Throws when the lane is paused, no sender is available, or the content is missing. */
export async function requireSendable(
  { context, results }: Pick<OpenedSend<unknown>, "context" | "results">,
  { language, usePlatformSender }: SendOptions,
  services: EmailServices,
): Promise<{ sender: Sender; content: PinnedContent }> {
  const sender = await requireSender(context, usePlatformSender, services);
  // Mail from the platform sender never uses the custom template of a company.
  const customTemplate = usePlatformSender
    ? ({ customTemplate: null, defaultReason: "platform_sender" } as const)
    : { customTemplate: results.customTemplate.first };
  return { sender, content: requireContent(context, language, customTemplate, services) };
}

/** Returns the requested event. Throws 400 `template_key: [required|invalid]` or 404 `template_not_found`. */
function findTemplate(body: JsonObject): RequestedEvent {
  const key = body.template_key;
  if (isAbsent(key) || key === "") throw invalid({ template_key: ["required"] });
  if (typeof key !== "string") throw invalid({ template_key: ["invalid"] });
  const event = requestedEvent(key);
  if (event === null) throw new Problem("template_not_found");
  return event;
}
