import { DIRECTORY_TEXTS } from "./directory";
import { SERVICE_TEXTS } from "./services";
import { ACCOUNT_TEXTS, SIGN_IN_TEXTS } from "./sign-in";
import type { EventTexts } from "./texts";

const EVENT_TEXTS: Readonly<Record<string, EventTexts>> = {
  ...SERVICE_TEXTS,
  ...SIGN_IN_TEXTS,
  ...ACCOUNT_TEXTS,
  ...DIRECTORY_TEXTS,
};

/** Returns the texts of a mail about an event. Throws for an event without texts, which is a bug in the catalog. */
export function eventTexts(eventType: string): EventTexts {
  const texts = EVENT_TEXTS[eventType];
  if (texts === undefined) throw new Error(`${eventType}: no texts in EVENT_TEXTS`);
  return texts;
}
