import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { type Parsed, parsed, tryParse, unwrap, valueOr } from "../../../kit/http/request/parsed";
import { isObject, type JsonObject } from "../../../kit/json";
import type { Problem as AnyProblem } from "../../../kit/problem";
import type { ChosenLanguage } from "../../content/documents/content";
import { type RequestedEvent, requestedEvent, resolveEvent } from "../../content/event-types/own-event";
import { DIRECT_EVENT } from "../../delivery/messages/direct-content";
import { Problem } from "../../problem";
import { canUseTemplate } from "../../records/clients/service-client";
import type { EmailServices } from "../../services";
import {
  type CustomTemplateResults,
  type Opened,
  openSubmit,
  type SubmitContext,
  type SubmitPath,
  selectCustomTemplateOf,
} from "../submission/submission";
import { type EmailInput, type EmailLimits, readEmail } from "./email-input";

/** Maximum size of a request in bytes. */
export const MAX_BODY_BYTES = 8_388_608;
const MAX_KEY_LENGTH = 256;

/** Stands for the catalog event of mail whose content is in the request. */
const directEvent: CatalogEvent = {
  event_type: DIRECT_EVENT,
  service: "email",
  label: "Direct content",
  lane_class: "transactional",
  default_enabled: false,
  default_ttl_seconds: 0,
  variables: [],
  link_token: "",
  platform_sender: false,
  has_separate_limit: false,
  default_template: "",
  suggested: { en: { subject: "", preheader: "" }, fr: { subject: "", preheader: "" } },
};

/** The template that all emails of a request with a template use. */
type ChosenTemplate = { event: CatalogEvent; language: ChosenLanguage };

/** The template that a request names. `language` is null when the request names none. */
type RequestedTemplate = { event: RequestedEvent; language: EmailLanguage | null };

/** The emails of a request. `template` is null when no email uses a template. */
type EmailFields = {
  emails: Parsed<EmailInput>[];
  template: Parsed<RequestedTemplate | null>;
  addresses: readonly string[];
  event: Parsed<RequestedEvent>;
};

/** A request with valid service key, company and idempotency key. */
export type OpenedEmails = Opened<EmailFields, ReturnType<typeof selectCustomTemplateOf>>;
export type EmailsContext = { context: SubmitContext; results: CustomTemplateResults; template: ChosenTemplate | null };

/** Checks a request to send emails with openSubmit. The service key must be limited to one company. */
export const openEmails = (
  request: Request,
  services: EmailServices,
  opening: { path: SubmitPath; listAs?: string; canAttach: boolean; list: (body: JsonObject) => unknown[] },
): Promise<OpenedEmails> =>
  openSubmit(request, services, {
    path: opening.path,
    limit: MAX_BODY_BYTES,
    ...(opening.listAs === undefined ? {} : { listAs: opening.listAs }),
    source: (soleCompany) => ({
      companyId: () => requireCompany(soleCompany),
      idempotencyKey: () => readKeyHeader(request),
    }),
    read: (body) =>
      readEmails(opening.list(body), {
        now: services.clock.now(),
        attachments: opening.canAttach ? services.settings : null,
      }),
    admit: (findEvent, { fields: { emails, template }, client }) => {
      const [first] = emails;
      if (first?.ok === false && !emails.some(({ ok }) => ok))
        throw opening.listAs === undefined ? first.problem : atIndex(first.problem, 0);
      if (!client.lanes.includes("transactional")) throw new Problem("lane_not_allowed");
      if (unwrap(template) !== null && !canUseTemplate(client, requireTemplate(findEvent()).event_type))
        throw new Problem("forbidden");
      return directEvent;
    },
    reads: selectCustomTemplateOf,
  });

/** Returns the problem of an email of a batch: its fields are named by the position in the batch. */
export function atIndex(problem: AnyProblem<string>, index: number): AnyProblem<string> {
  const { field_errors = {}, ...options } = problem.options;
  const fields = Object.entries(field_errors).map(([field, codes]) => [`emails.${index}.${field}`, codes]);
  return new Problem(problem.code as Problem["code"] as never, {
    ...options,
    field_errors: Object.fromEntries(fields),
  });
}

/** Returns the template of a request that openEmails checked, or null when no email uses one. */
export function templateOf(
  { facts }: Pick<SubmitContext, "facts">,
  { template }: Pick<EmailFields, "template">,
): ChosenTemplate | null {
  const requested = unwrap(template);
  if (requested === null) return null;
  const event = requireTemplate(resolveEvent(requested.event, { first: facts.ownType }));
  const { language } = requested;
  return {
    event,
    language:
      language === null
        ? { value: event.own?.default_language ?? "en", source: "default" }
        : { value: language, source: "request" },
  };
}

/** Returns the event. Throws 404 `template_not_found` when there is none, and 400 `template_lane_mismatch` for sign-in mail. */
function requireTemplate(event: CatalogEvent | undefined): CatalogEvent {
  if (event === undefined) throw new Problem("template_not_found");
  if (event.lane_class !== "transactional") {
    throw new Problem("template_lane_mismatch", {
      message: "Only templates of the lane `transactional` can be sent here. Send others with `POST /api/v1/send`.",
    });
  }
  return event;
}

function readEmails(list: readonly unknown[], limits: EmailLimits): EmailFields {
  const emails = list.map((item) =>
    tryParse(() => {
      if (!isObject(item)) throw new Problem("validation_failed", { field_errors: { body: ["invalid"] } });
      return readEmail(item, limits);
    }),
  );
  const valid = emails.flatMap((email) => (email.ok ? [email.value] : []));
  const template = tryParse(() => findTemplate(valid));
  return {
    emails,
    template,
    addresses: valid.flatMap(({ to }) => to.map(({ address }) => address)),
    event: parsed(valueOr(template, null)?.event ?? { event_type: DIRECT_EVENT, platform: directEvent }),
  };
}

/** Returns the template of the emails. Throws when it does not exist, or when the emails use different ones. */
function findTemplate(emails: readonly EmailInput[]): RequestedTemplate | null {
  const templates = emails.flatMap(({ template }) => template ?? []);
  const [first] = templates;
  if (first === undefined) return null;
  if (templates.some(({ key, language }) => key !== first.key || language !== first.language)) {
    const message = "All emails of a batch must use the same template and language. Send one batch per template.";
    throw new Problem("validation_failed", { message, field_errors: { template_key: ["not_allowed"] } });
  }
  const event = requestedEvent(first.key);
  if (event === null) throw new Problem("template_not_found");
  return { event, language: first.language };
}

/** Returns the only company of a service key. Throws 403 `company_mismatch` when the key has several. */
export function requireCompany(soleCompany: number | null): number {
  if (soleCompany !== null) return soleCompany;
  throw new Problem("company_mismatch", {
    message:
      "The service key must be limited to one company, which then sends the email. Use an API key of the company.",
  });
}

/** Returns the `Idempotency-Key` header of 1 to 256 characters, or null. Throws 400 `idempotency_key: [blank|too_long]`. */
function readKeyHeader(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  const code = key.trim() === "" ? "blank" : key.length > MAX_KEY_LENGTH ? "too_long" : null;
  if (code !== null) throw new Problem("validation_failed", { field_errors: { idempotency_key: [code] } });
  return key;
}
