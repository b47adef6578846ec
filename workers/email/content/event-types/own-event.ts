import type { EventTypeRow } from "../../../../db/email/rows";
import { type CatalogEvent, type CatalogVariable, findEvent } from "../../../../schemas/email/content/catalog";
import { findInternalEvent } from "../../../../schemas/email/content/internal-events";
import { isReservedPrefix, OWN_EVENT_TYPE, prefixOf } from "../../../../schemas/email/content/prefixes";
import type { Result } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { findOwnType, findOwnTypes, findTypeOfTemplate, listOwnTypes } from "./own-event.store";

/** The event type of a request. `platform` is the event of the platform with this type, if there is one. */
export type RequestedEvent = { event_type: string; platform: CatalogEvent | undefined };

/** Variables that every own event has. Companies declare only the others. */
export const SHARED_VARIABLES: readonly CatalogVariable[] = [
  { token: "company_name", type: "string", required: false, example: "Aster Labs" },
  { token: "recipient_name", type: "string", required: false, example: "Mina" },
  { token: "recipient_email", type: "string", required: false, example: "mina@example.com" },
];

/** Returns the event type of a request, or null when neither the platform nor a company can have it. */
export function requestedEvent(eventType: string): RequestedEvent | null {
  const platform = findEvent(eventType);
  return platform !== undefined || isOwnType(eventType) ? { event_type: eventType, platform } : null;
}

/** Returns whether companies may define this event type. */
export function isOwnType(eventType: string): boolean {
  return OWN_EVENT_TYPE.test(eventType) && !isReservedPrefix(eventType);
}

/** Returns the statement that reads an own event type, or null for an event of the platform. */
export function selectOwnType(requested: RequestedEvent | null, companyId: number): Bound<EventTypeRow> | null {
  if (requested === null || requested.platform !== undefined) return null;
  return findOwnType({ companyId, eventType: requested.event_type });
}

/** Returns the statement that reads the own event types among these types, or null when there are none. */
export function selectOwnTypes(eventTypes: readonly string[], companyId: number): Bound<EventTypeRow> | null {
  const names = eventTypes.filter(isOwnType);
  return names.length === 0 ? null : findOwnTypes({ companyId, names });
}

/** Returns the statement that reads all event types of a company. */
export const selectAllOwnTypes = (companyId: number): Bound<EventTypeRow> => listOwnTypes({ companyId });

/** Returns the statement that reads the own event type of a custom template. */
export const selectTypeOfTemplate = (templateId: number): Bound<EventTypeRow> => findTypeOfTemplate({ templateId });

/** Returns the event of a request, from the result of selectOwnType, or undefined when the company has no such event. */
export function resolveEvent(
  requested: RequestedEvent | null,
  ownType: Pick<Result<EventTypeRow>, "first"> | null,
): CatalogEvent | undefined {
  return requested?.platform ?? (ownType?.first ? ownEvent(ownType.first) : undefined);
}

/**
 * Returns the event of a stored row: one of the platform, of the company, or of mail that the email service creates itself.
 * `ownType` is the company's event type with this name, or null.
 */
export function eventOfRow(eventType: string, ownType: EventTypeRow | null): CatalogEvent | undefined {
  return findInternalEvent(eventType) ?? resolveEvent(requestedEvent(eventType), { first: ownType });
}

/** Returns the key of the default contents of an event; see `default_contents`. */
export function contentKeyOf(eventType: string, companyId: number): string {
  return findEvent(eventType) === undefined ? `${companyId}:${eventType}` : eventType;
}

/** Returns an own event type as an event of the catalog. */
export function ownEvent(
  row: Omit<EventTypeRow, "company_id" | "revision" | "created_at" | "updated_at">,
): CatalogEvent {
  const { event_type, labels, default_language, default_template, texts } = row;
  const variables = [...SHARED_VARIABLES, ...row.variables.map(catalogVariable)];
  const suggested = ({ subject, preheader }: EventTypeRow["texts"]["en"]) => ({ subject, preheader });
  const body = ({ lead, button, footnote = "" }: EventTypeRow["texts"]["en"]) => ({ lead, button, footnote });
  return {
    event_type,
    service: prefixOf(event_type),
    label: labels[default_language],
    lane_class: "transactional",
    default_enabled: false,
    default_ttl_seconds: 0,
    variables,
    // An optional link is not the main link, because mails without its value would show an empty button.
    link_token: variables.find(({ type, required }) => type === "url" && required)?.token ?? "",
    platform_sender: false,
    has_separate_limit: false,
    default_template,
    suggested: { en: suggested(texts.en), fr: suggested(texts.fr) },
    own: { labels, default_language, texts: { en: body(texts.en), fr: body(texts.fr) } },
  };
}

function catalogVariable(variable: EventTypeRow["variables"][number]): CatalogVariable {
  const { token, value_type, required, labels, sample, fields } = variable;
  const isPlain = typeof sample === "string" || typeof sample === "number" || typeof sample === "boolean";
  return {
    token,
    type: value_type === "url" ? "url" : "string",
    value_type,
    required,
    labels,
    example: isPlain ? String(sample) : exampleOf(sample),
    sample: sample as NonNullable<CatalogVariable["sample"]>,
    ...(fields === undefined ? {} : { fields: fields.map(catalogVariable) }),
  };
}

/** Returns the example of an amount of money, or "" for a list. */
function exampleOf(sample: unknown): string {
  const { amount, currency } = sample as { amount?: string | number; currency?: string };
  return currency === undefined ? "" : `${amount} ${currency}`;
}
