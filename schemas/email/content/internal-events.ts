import type { CatalogEvent } from "./catalog";

/** The event type of the mail that asks subscribers of a newsletter to confirm their address. */
export const NEWSLETTER_CONFIRMATION = "newsletter_confirmation";

/** The variable with the link that confirms a subscription. */
export const CONFIRM_URL = "confirm_url";

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
];

const eventsByType: ReadonlyMap<string, CatalogEvent> = new Map(
  INTERNAL_EVENTS.map((event) => [event.event_type, event]),
);

/** Returns the internal event with this type, or undefined. */
export function findInternalEvent(eventType: string): CatalogEvent | undefined {
  return eventsByType.get(eventType);
}
