import { DIRECTORY_WORDS } from "./directory";
import { SERVICE_WORDS } from "./services";
import { ACCOUNT_WORDS, SIGN_IN_WORDS } from "./sign-in";
import type { EventTexts } from "./texts";

const EVENT_TEXTS: Readonly<Record<string, EventTexts>> = {
  ...SERVICE_WORDS,
  ...SIGN_IN_WORDS,
  ...ACCOUNT_WORDS,
  ...DIRECTORY_WORDS,
};

/** Returns the texts of a mail about an event. Throws for an event without texts, which is a bug in the catalog. */
export function eventTexts(eventType: string): EventTexts {
  const texts = EVENT_TEXTS[eventType];
  if (texts === undefined) throw new Error(`${eventType}: no words`);
  return texts;
}
