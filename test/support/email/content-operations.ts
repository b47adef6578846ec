import { event_types } from "../../../db/email/schema";
import type { Facts } from "../http/route-calls";
import { paragraphDocument, storeLibraryTemplate, storeNumberedTemplate } from "./custom-templates";
import { uniqueAddress } from "./messages";
import { storeNewsletter, storeSubscriber } from "./newsletter-rows";
import { insertRow } from "./rows";

/** Facts about routes of event types, the template library and custom templates. */
export const contentFacts = (company: number, foreignCompany: number): Record<string, Facts> => ({
  ...eventTypeFacts(company, foreignCompany),
  ...libraryFacts(company, foreignCompany),
  ...templateFacts(company, foreignCompany),
  ...newsletterFacts(company, foreignCompany),
});

/** Facts about routes of a company's own event types. */
function eventTypeFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const input = () => ({ labels: { en: "Order placed" }, variables: [{ name: "number", value_type: "text" }] });
  const type = {
    ...admin,
    companyRow: () => storeEventType(company),
    foreign: () => storeEventType(foreignCompany),
  };
  return {
    "get /api/v1/event-types": admin,
    "post /api/v1/event-types": {
      ...admin,
      maxBytes: 262_144,
      body: () => ({ ...input(), event_type: uniqueEventType() }),
      // The number of event types per company is limited, and the route check exceeds that limit.
      answers: [201, 409],
    },
    "get /api/v1/event-types/presets": { ...admin, needsNoDatabase: true },
    "get /api/v1/event-types/{event_type}": type,
    "patch /api/v1/event-types/{event_type}": { ...type, maxBytes: 262_144, body: input },
    "delete /api/v1/event-types/{event_type}": type,
  };
}

/** Facts about routes of a company's template library. */
function libraryFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const input = () => ({ name: "News", subject: "News", preheader: "Read on", document: paragraphDocument("Hello") });
  const libraryTemplate = {
    ...admin,
    companyRow: async () => String((await storeLibraryTemplate(company)).id),
    foreign: async () => String((await storeLibraryTemplate(foreignCompany)).id),
  };
  const withBody = { maxBytes: 2_097_152, body: input };
  return {
    "get /api/v1/library": admin,
    "post /api/v1/library": { ...admin, ...withBody },
    "get /api/v1/library/{id}": libraryTemplate,
    "put /api/v1/library/{id}": { ...libraryTemplate, ...withBody },
    "delete /api/v1/library/{id}": libraryTemplate,
  };
}

/**
 * Facts about routes of custom templates. Paths with two parameters use one value for both, so the version has the
 * template's id as its number.
 */
function templateFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const stored = async (companyId: number) => String((await storeNumberedTemplate(companyId)).id);
  const template = { ...admin, companyRow: () => stored(company), foreign: () => stored(foreignCompany) };
  const draft = { subject: "News", preheader: "Read on", document: paragraphDocument("Hello") };
  const withBody = { maxBytes: 2_097_152, body: () => draft };
  return {
    "get /api/v1/templates": admin,
    "get /api/v1/templates/{id}": template,
    "delete /api/v1/templates/{id}": template,
    "get /api/v1/templates/{id}/versions": template,
    "post /api/v1/templates/{id}/versions": { ...template, ...withBody },
    "get /api/v1/templates/{id}/versions/{number}": template,
    "post /api/v1/templates/{id}/versions/{number}/publish": template,
    "post /api/v1/templates/{id}/preview": { ...template, ...withBody, filled: ["subject", "preheader"] },
    // The company has no working provider; preview.test.ts tests successful sends.
    "post /api/v1/templates/{id}/send-test": { ...template, ...withBody, answers: [409, 502], isLimited: true },
  };
}

/** Facts about routes of newsletters and their subscribers. */
function newsletterFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const stored = async (companyId: number) => String((await storeNewsletter(companyId)).id);
  const list = { role: "owner", companyRow: () => stored(company), foreign: () => stored(foreignCompany) } as const;
  const subscriberOf = async (companyId: number) => {
    const newsletter = await storeNewsletter(companyId, { confirmed: 1 });
    const { id } = await storeSubscriber(newsletter, uniqueAddress());
    return { id: String(newsletter.id), sid: String(id) };
  };
  const input = { name: "Product news", description: "Once a month", allowed_origins: ["https://aster.example"] };
  return {
    "get /api/v1/newsletters": { role: "owner" },
    // A company has at most 100 newsletters, and the route check exceeds that limit.
    "post /api/v1/newsletters": { role: "owner", body: () => input, answers: [201, 409] },
    "get /api/v1/newsletters/{id}": list,
    "patch /api/v1/newsletters/{id}": { ...list, body: () => input },
    "delete /api/v1/newsletters/{id}": list,
    "post /api/v1/newsletters/{id}/rotate-key": list,
    "get /api/v1/newsletters/{id}/subscribers": list,
    "post /api/v1/newsletters/{id}/subscribers": {
      ...list,
      body: () => ({ email: uniqueAddress(), first_name: "Mina", mode: "consented" }),
      // A repeated address keeps its stored name; an unknown language is the default of the newsletter.
      filled: ["first_name", "language"],
    },
    "delete /api/v1/newsletters/{id}/subscribers/{sid}": {
      role: "owner",
      companyRow: () => subscriberOf(company),
      foreign: () => subscriberOf(foreignCompany),
    },
    "post /api/v1/newsletters/{id}/subscribers/import": {
      ...list,
      maxBytes: 6_291_456,
      longTexts: ["csv"],
      body: () => ({ csv: `email\n${uniqueAddress()}`, mode: "consented" }),
    },
    "get /api/v1/newsletters/{id}/subscribers.csv": list,
  };
}

const uniqueEventType = () => `shop.${crypto.randomUUID()}`;

async function storeEventType(company: number): Promise<string> {
  const texts = { subject: "News", preheader: "", lead: "", button: "" };
  const { event_type } = await insertRow(event_types, {
    company_id: company,
    event_type: uniqueEventType(),
    labels: { en: "News", fr: "News" },
    description: { en: "", fr: "" },
    variables: [],
    default_language: "en",
    default_template: "barebone.text-only",
    texts: { en: texts, fr: texts },
    revision: crypto.randomUUID(),
    created_at: 1,
    updated_at: 1,
  });
  return event_type;
}
