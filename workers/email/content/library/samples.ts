// Sample mails of all default contents and all designs, with the example values of the catalog. scripts/designs.ts and tests
// use this file; no Worker imports it.

import type { BrandingRow } from "../../../../db/email/rows";
import { CATALOG_EVENTS, type CatalogEvent } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { INTERNAL_EVENTS } from "../../../../schemas/email/content/internal-events";
import { exampleValue } from "../catalog/catalog";
import { systemTokens } from "../catalog/system-tokens";
import { readExample, urlTokensOf } from "../catalog/variables";
import { composeDocument } from "../render/compose";
import { type MailContent, substitute } from "../tokens/substitution";
import type { Variables } from "../tokens/values";
import { adaptDesign, NECESSARY_DESIGNS } from "./adaptation";
import { composeDefaultContent } from "./default-content";
import { LIBRARY_DESIGNS, type LibraryDesign } from "./designs/designs";

/** A mail with replaced tokens. `name` becomes the file name of its picture. */
export interface SampleMail extends MailContent {
  name: string;
  language: EmailLanguage;
}

/** Branding for samples, without a logo. */
export const SAMPLE_BRANDING = {
  company_id: 1,
  primary_color: "#7a1fa2",
  logo_url: "",
  logo_dark_url: "",
  postal_address: "Aster Labs, 8 rue des Lilas, 69001 Lyon",
  footer_text: "Questions? Write to help@aster.example.",
  footer_texts: { fr: "Une question\u00a0? Écrivez à help@aster.example." },
  social_links: {
    instagram: "https://www.instagram.com/asterlabs",
    linkedin: "https://www.linkedin.com/company/aster-labs",
    youtube: "https://www.youtube.com/@asterlabs",
  },
  updated_at: 0,
};

/** Returns a wide logo as a data URL, because the browser that takes the pictures cannot load images. */
const sampleLogo = (ink: string, petal: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="148" height="36" viewBox="0 0 148 36"><g fill="${petal}">${[0, 60, 120, 180, 240, 300].map((turn) => `<ellipse cx="18" cy="8" rx="5" ry="8" transform="rotate(${turn} 18 18)"/>`).join("")}</g><circle cx="18" cy="18" r="4" fill="${ink}"/><text x="44" y="25" font-family="Georgia,serif" font-size="20" fill="${ink}">Aster Labs</text></svg>`,
  )}`;

/** Branding for samples, with logos for light and dark backgrounds. */
export const SAMPLE_LOGO_BRANDING = {
  ...SAMPLE_BRANDING,
  logo_url: sampleLogo("#2b1238", "#7a1fa2"),
  logo_dark_url: sampleLogo("#f3e8fb", "#c77ae6"),
};

const HOSTS = ["app.example.com"];

interface Options {
  branding?: BrandingRow | null;
  variables?: Readonly<Variables>;
  /** null when nobody reads replies */
  replyTo?: string | null;
  /** null for mail without an unsubscribe link */
  unsubscribeUrl?: string | null;
  /** link to the web version, for broadcasts */
  viewUrl?: string | null;
}

const VIEW_URL = "https://mail.example.com/v/1.7.0a1b";
const LEAVE_URL = "https://mail.example.com/u/1.transactional.0a1b";

/** French translations of the English example values in the catalog. */
const IN_FRENCH: Readonly<Record<string, string>> = {
  "14 days": "14 jours",
  "3 problems": "3 anomalies",
  "Messages are waiting to be sent": "Des messages attendent d’être envoyés",
  "The service does not respond": "Le service ne répond pas",
  "The job retry_mail fails or is overdue": "La tâche retry_mail échoue ou est en retard",
  "Chrome on Windows": "Chrome sur Windows",
  "22 November 2026 at 16:05\u00a0UTC": "22 novembre 2026 à 16:05\u00a0UTC",
};

/** Events that a directory causes. Their real mails name no user. */
const DIRECTORY_EVENTS = /^identity\.scim\.(?:user|provisioning)/;
const DIRECTORY_ACTOR: Readonly<Variables> = { actor_kind: "scim", actor_name: "" };

/** Returns the example values for the variables of an event. */
const exampleVariables = (event: CatalogEvent, language: EmailLanguage): Variables => {
  const translate = (example: string) => (language === "fr" ? (IN_FRENCH[example] ?? example) : example);
  const examples: Variables = Object.fromEntries(
    event.variables.map((variable) => {
      const sample = variable.sample === undefined ? null : readExample(variable, language);
      if (sample !== null && typeof sample !== "string") {
        const items = sample.map((item) => Object.entries(item).map(([token, value]) => [token, translate(value)]));
        return [variable.token, items.map((item) => Object.fromEntries(item))];
      }
      if (sample !== null) return [variable.token, sample];
      const example = variable.token.endsWith("_url") ? exampleUrl(variable) : exampleValue(variable, HOSTS);
      return [variable.token, translate(example)];
    }),
  );
  return DIRECTORY_EVENTS.test(event.event_type) ? { ...examples, ...DIRECTORY_ACTOR } : examples;
};

// The token in an example URL has a realistic length, so that pictures show where long links break.
const exampleUrl = (variable: CatalogEvent["variables"][number]): string =>
  exampleValue(variable, HOSTS).replace("token=example", "token=Zx3v8QdPqk0m7eYJtYkT2nC5rXwB1sLhUa9GfVoRzM4");

/** Replaces the tokens in a composed mail. Throws when the mail could not be sent. */
export function fillMail(
  content: MailContent,
  event: CatalogEvent | null,
  language: EmailLanguage,
  {
    branding = null,
    variables = event === null ? {} : exampleVariables(event, language),
    replyTo = null,
    unsubscribeUrl = LEAVE_URL,
    viewUrl = null,
  }: Options = {},
): MailContent {
  const allVariables =
    event === null
      ? { company_name: "Aster Labs", action_url: "https://app.example.com/start", ...variables }
      : variables;
  const filled = substitute(content, allVariables, {
    authLane: event?.lane_class === "auth",
    authLinkHosts: HOSTS,
    debug: false,
    urlTokens: event === null ? ["action_url"] : urlTokensOf(event),
    system: systemTokens(
      {
        messageId: "msg_0123456789abcdef0123456789abcdef",
        language,
        variables: allVariables,
        branding,
        replyTo,
        unsubscribeUrl,
        viewUrl,
      },
      { emailPublicUrl: "https://mail.example.com" },
    ),
  });
  if ("error" in filled) throw new Error("token" in filled ? filled.token : filled.error);
  return filled;
}

/** Returns the default mail of every event in every language. */
export function defaultMails(options: Options = {}): SampleMail[] {
  return [...CATALOG_EVENTS, ...INTERNAL_EVENTS].flatMap((event) =>
    EMAIL_LANGUAGES.map((language) => ({
      name: event.event_type,
      language,
      ...fillMail(composeDefaultContent(event, language), event, language, options),
    })),
  );
}

/** Returns the sample mail of a design in English, without adapting it to an event. */
export function designMail(design: LibraryDesign, options: Options = {}): SampleMail {
  const { key, set, subject, preheader, document } = design;
  const content = { subject, ...composeDocument(document, { set, language: "en", subject, preheader }) };
  const unsubscribeUrl = NECESSARY_DESIGNS.test(key) ? null : LEAVE_URL;
  return {
    name: key,
    language: "en",
    ...fillMail(content, null, "en", { unsubscribeUrl, viewUrl: VIEW_URL, ...options }),
  };
}

/** Returns the sample mail of a design that is adapted to an event. */
export function adaptedMail(
  design: LibraryDesign,
  event: CatalogEvent,
  language: EmailLanguage,
  options: Options = {},
): SampleMail {
  const { subject, preheader } = event.suggested[language];
  const document = adaptDesign(design.document, event, language, HOSTS);
  const content = { subject, ...composeDocument(document, { set: design.set, language, subject, preheader }) };
  return { name: design.key, language, ...fillMail(content, event, language, options) };
}

/** The events to which designs are adapted in French. There are as many events as designs in a design set. */
const SAMPLE_PAIRS = [
  "identity.auth.magic_link.requested",
  "hosting.deployment.failed",
  "identity.user.invited",
  "identity.membership.enabled",
  "identity.auth.login.new_device_detected",
  "identity.membership.requested",
  "storage.object.uploaded",
  "identity.action_rule.failing",
];

/** Returns two sample mails per design: one in English without an event, and one in French adapted to an event. */
export function designMails(options: Options = {}): SampleMail[] {
  return LIBRARY_DESIGNS.flatMap((design, index) => {
    // Within a set, every design gets a different event. The same design gets a different event in every set.
    const samplePair = SAMPLE_PAIRS[(index + 3 * Math.floor(index / SAMPLE_PAIRS.length)) % SAMPLE_PAIRS.length];
    const event = CATALOG_EVENTS.find(({ event_type }) => event_type === samplePair);
    if (event === undefined) throw new Error(`${samplePair}: the catalog has no such event`);
    return [designMail(design, options), adaptedMail(design, event, "fr", options)];
  });
}
