import type { CatalogEvent } from "../../../../schemas/email/content/catalog";

/** The `service` and `event_type` of the messages of broadcasts, and the `event_type` of their templates. */
export const BROADCAST = "broadcast";

const text = (token: string, example: string) => ({ token, type: "string", required: false, example }) as const;
const texts = { subject: "", preheader: "" };

/**
 * The variables of broadcasts, in the form of an event, so that the templates of broadcasts are edited, previewed and checked
 * like those of events. It is not in the catalog. Its mail uses the bulk lane, which no event has; the lane class `transactional`
 * here means only that sign-in rules do not apply.
 */
export const BROADCAST_EVENT: CatalogEvent = {
  event_type: BROADCAST,
  service: BROADCAST,
  label: "Broadcast",
  lane_class: "transactional",
  default_enabled: false,
  default_ttl_seconds: 0,
  variables: [
    text("company_name", "Aster Labs"),
    text("first_name", "Mina"),
    text("last_name", "Laurent"),
    text("recipient_email", "mina@example.com"),
  ],
  link_token: "",
  platform_sender: false,
  has_separate_limit: false,
  default_template: "barebone.text-only",
  suggested: { en: texts, fr: texts },
};
