import type * as z from "zod";
import type { EventTypeRow } from "../../../../db/email/rows";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import {
  eventTypeChangeSchema,
  eventTypeInputSchema,
  presetInputSchema,
} from "../../../../schemas/email/content/event-types";
import type { PresetName } from "../../../../schemas/email/content/presets";
import type { FieldErrors } from "../../../../schemas/errors";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { parse } from "../../../kit/http/request/parse";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { isSystemToken } from "../../content/catalog/system-tokens";
import { requireTexts } from "../../content/documents/document-input";
import { SHARED_VARIABLES } from "../../content/event-types/own-event";
import { tokensOf } from "../../content/tokens/token";
import type { EmailSettings } from "../../settings";
import { presetType } from "./preset";
import { inBothLanguages, readVariableInputs } from "./variables-input";

/** The columns of an event type that its company sets. */
export type EventTypeInput = Omit<EventTypeRow, "company_id" | "revision" | "created_at" | "updated_at">;

type Change = z.output<typeof eventTypeChangeSchema>;
type TextInput = NonNullable<NonNullable<Change["texts"]>["en"]>;
type Settings = Pick<EmailSettings, "debug" | "maxDocumentBytes">;

const MAX_VARIABLES_BYTES = 65_536;
const DEFAULT_DESIGN = "barebone.text-only";

/** A new event type. `preset` is null when the company defines all of it. */
export type NewEventType = { input: EventTypeInput; preset: PresetName | null };

/** Reads a new event type from the request body. Throws 400 with the codes of invalid fields. */
export function readNewEventType(body: JsonObject, settings: Settings): NewEventType {
  if (isAbsent(body.preset)) return { input: requireValid(readOwnType(body), settings), preset: null };
  const { company_id: _company, lane: _lane, preset, event_type, ...given } = parse(presetInputSchema, body);
  const base = presetType(preset, given.default_language);
  const input = changed(event_type === undefined ? base : { ...base, event_type }, given);
  return { input: requireValid(input, settings), preset };
}

function readOwnType(body: JsonObject): EventTypeInput {
  const { company_id: _company, lane: _lane, event_type, labels, ...given } = parse(eventTypeInputSchema, body);
  const names = inBothLanguages(labels, event_type);
  const blank: EventTypeInput = {
    event_type,
    labels: names,
    description: { en: "", fr: "" },
    variables: [],
    default_language: "en",
    default_template: DEFAULT_DESIGN,
    texts: { en: textsFor(names.en), fr: textsFor(names.fr) },
  };
  const { description, texts } = given;
  return changed(blank, {
    ...given,
    description: description && inBothLanguages(description, ""),
    texts: texts && inBothLanguages<TextInput>(texts, {}),
  });
}

/** Reads a change of an event type. Throws 400 with the codes of invalid fields. */
export function readEventTypeChange(row: EventTypeInput, body: JsonObject, settings: Settings): EventTypeInput {
  const { lane: _lane, ...given } = parse(eventTypeChangeSchema, body);
  return requireValid(changed(row, given), settings);
}

const textsFor = (subject: string) => ({ subject, preheader: "", lead: "", button: "", footnote: "" });

function changed(row: EventTypeInput, change: Omit<Change, "lane">): EventTypeInput {
  const { event_type, default_language, default_template } = row;
  const { labels, description, variables, texts } = change;
  return {
    event_type,
    labels: labels === undefined ? row.labels : inChangedLanguages(row.labels, labels),
    description: description === undefined ? row.description : inChangedLanguages(row.description, description),
    variables: variables === undefined ? row.variables : readVariableInputs(variables),
    default_language: change.default_language ?? default_language,
    default_template: change.default_template ?? default_template,
    texts: texts === undefined ? row.texts : changedTexts(row.texts, texts),
  };
}

/** Returns both languages of a value. A language that the change does not name keeps its value. */
const inChangedLanguages = <T>(
  stored: Record<EmailLanguage, T>,
  { en, fr }: { en?: T | undefined; fr?: T | undefined },
) => ({
  en: en ?? stored.en,
  fr: fr ?? stored.fr,
});

const changedTexts = (stored: EventTypeInput["texts"], { en = {}, fr = {} }: NonNullable<Change["texts"]>) => ({
  en: { ...stored.en, ...defined(en) },
  fr: { ...stored.fr, ...defined(fr) },
});

/** Returns the texts that are set and, for the subject, not blank. */
const defined = (texts: TextInput): Partial<Record<keyof TextInput, string>> =>
  Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => text !== undefined && (name !== "subject" || text !== "")),
  );

/** Returns the input. Throws 400 `variables: [too_large]`, or for texts that contain tags or unknown tokens. */
function requireValid(input: EventTypeInput, settings: Settings): EventTypeInput {
  const errors: FieldErrors = {};
  if (utf8ToBytes(JSON.stringify(input.variables)).length > MAX_VARIABLES_BYTES) errors.variables = ["too_large"];
  const declared = new Set([...SHARED_VARIABLES, ...input.variables].map(({ token }) => token));
  for (const language of EMAIL_LANGUAGES) {
    for (const [name, text] of Object.entries(input.texts[language])) {
      const path = `texts.${language}.${name}`;
      if (text.includes("{%")) errors[path] = ["template_tags_forbidden"];
      const isKnown = (token: string) => declared.has(token) || isSystemToken(token);
      if (![...tokensOf(text)].every(isKnown)) errors[path] = ["unknown_token"];
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  for (const language of EMAIL_LANGUAGES) requireTexts(input.texts[language], settings);
  return input;
}
