import type { CatalogEvent } from "../../../../../schemas/email/content/catalog";
import { ALERT_TEXTS } from "./alerts";
import { DIRECTORY_TEXTS } from "./directory";
import { NEWSLETTER_TEXTS } from "./newsletters";
import { ownTexts } from "./own";
import { SERVICE_TEXTS } from "./services";
import { ACCOUNT_TEXTS, SIGN_IN_TEXTS } from "./sign-in";
import type { EventTexts } from "./texts";

const EVENT_TEXTS: Readonly<Record<string, EventTexts>> = {
  ...SERVICE_TEXTS,
  ...SIGN_IN_TEXTS,
  ...ACCOUNT_TEXTS,
  ...DIRECTORY_TEXTS,
  ...NEWSLETTER_TEXTS,
  ...ALERT_TEXTS,
};

/** Returns the texts of a mail about an event. Throws for an event without texts, which is a bug in the catalog. */
export function eventTexts(event: CatalogEvent): EventTexts {
  const texts = event.own === undefined ? EVENT_TEXTS[event.event_type] : ownTexts(event, event.own);
  if (texts === undefined) throw new Error(`${event.event_type}: no texts in EVENT_TEXTS`);
  return texts;
}
