import type { CatalogEvent, CatalogVariable } from "./catalog";

/** The event type of the mail that asks subscribers of a newsletter to confirm their address. */
export const NEWSLETTER_CONFIRMATION = "newsletter_confirmation";

/** The variable with the link that confirms a subscription. */
export const CONFIRM_URL = "confirm_url";

/** The event types of the mails that the job `watch` sends when conditions start and when they end. */
export const ALERT_EVENTS = { firing: "platform.alert.firing", resolved: "platform.alert.resolved" } as const;

const alertField = (token: string, labels: { en: string; fr: string }): CatalogVariable => {
  return { token, type: "string", required: false, example: "", labels };
};

/** The variables of mails about conditions. `summary` is the condition, or how many there are. */
const ALERT_VARIABLES: readonly CatalogVariable[] = [
  { token: "company_name", type: "string", required: false, example: "Aster Labs" },
  { token: "summary", type: "string", required: true, example: "3 problems" },
  {
    token: "alerts",
    type: "string",
    value_type: "list",
    required: true,
    example: "",
    fields: [
      { token: "problem", type: "string", required: true, example: "" },
      alertField("service", { en: "Service", fr: "Service" }),
      alertField("count", { en: "Count", fr: "Nombre" }),
      // Dates, so that the list becomes a table with labels instead of sections of text.
      { ...alertField("since", { en: "Since", fr: "Depuis" }), value_type: "date" },
      { ...alertField("until", { en: "Until", fr: "Jusqu’au" }), value_type: "date" },
    ],
    sample: [
      {
        problem: "Messages are waiting to be sent",
        service: "email",
        count: "120",
        since: "2026-11-28T08:20:00Z",
      },
      {
        problem: "The service does not respond",
        service: "hosting",
        since: "2026-11-28T08:15:00Z",
      },
      {
        problem: "The job retry_mail fails or is overdue",
        service: "identity",
        since: "2026-11-28T08:20:00Z",
      },
    ],
  },
];

/** The properties that both events of conditions share. */
const ALERT_EVENT = {
  service: "email",
  lane_class: "transactional",
  default_enabled: false,
  default_ttl_seconds: 0,
  variables: ALERT_VARIABLES,
  link_token: "",
  platform_sender: true,
  has_separate_limit: false,
  is_necessary: true,
  default_template: "barebone.text-only",
} as const;

/**
 * The events of mail that the email service creates itself. Services cannot send them, and the catalog does not list them. Their
 * default mails belong to the library.
 */
export const INTERNAL_EVENTS: readonly CatalogEvent[] = [
  {
    event_type: NEWSLETTER_CONFIRMATION,
    service: "email",
    label: "Newsletter confirmation",
    lane_class: "transactional",
    default_enabled: false,
    default_ttl_seconds: 0,
    variables: [
      { token: "company_name", type: "string", required: false, example: "Aster Labs" },
      {
        token: CONFIRM_URL,
        type: "url",
        required: true,
        example: "https://mail.example.com/api/v1/public/newsletters/confirm/example",
        sensitive: true,
      },
      { token: "list_name", type: "string", required: false, example: "Product news" },
      { token: "first_name", type: "string", required: false, example: "Mina" },
    ],
    link_token: CONFIRM_URL,
    platform_sender: false,
    has_separate_limit: false,
    is_necessary: true,
    default_template: "barebone.subscription-confirmation",
    suggested: {
      en: {
        subject: 'Confirm your subscription to {{ list_name|default:"our newsletter" }}',
        preheader: "One press of a button, and you get the next issue.",
      },
      fr: {
        subject: 'Confirmez votre abonnement à {{ list_name|default:"notre lettre d’information" }}',
        preheader: "Un clic suffit pour recevoir le prochain numéro.",
      },
    },
  },
  {
    ...ALERT_EVENT,
    event_type: ALERT_EVENTS.firing,
    label: "Condition started",
    suggested: {
      en: { subject: "Alert: {{ summary }}", preheader: "A condition of the platform needs your attention." },
      fr: {
        subject: "Alerte\u00a0: {{ summary }}",
        preheader: "Une anomalie de la plateforme demande votre attention.",
      },
    },
  },
  {
    ...ALERT_EVENT,
    event_type: ALERT_EVENTS.resolved,
    label: "Condition ended",
    suggested: {
      en: { subject: "Resolved: {{ summary }}", preheader: "A condition of the platform has ended." },
      fr: { subject: "Résolu\u00a0: {{ summary }}", preheader: "Une anomalie de la plateforme a pris fin." },
    },
  },
];

const eventsByType: ReadonlyMap<string, CatalogEvent> = new Map(
  INTERNAL_EVENTS.map((event) => [event.event_type, event]),
);

/** Returns the internal event with this type, or undefined. */
export function findInternalEvent(eventType: string): CatalogEvent | undefined {
  return eventsByType.get(eventType);
}
