import { DIRECTORY_WORDS } from "./directory";
import { SERVICE_WORDS } from "./services";
import { ACCOUNT_WORDS, SIGN_IN_WORDS } from "./sign-in";
import type { EventWords } from "./words";

const EVENT_WORDS: Readonly<Record<string, EventWords>> = {
  ...SERVICE_WORDS,
  ...SIGN_IN_WORDS,
  ...ACCOUNT_WORDS,
  ...DIRECTORY_WORDS,
};

/** What a mail says about an event; throws for one without words, which is a fault of the catalog. */
export function eventWords(eventType: string): EventWords {
  const words = EVENT_WORDS[eventType];
  if (words === undefined) throw new Error(`${eventType}: no words`);
  return words;
}
