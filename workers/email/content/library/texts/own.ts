import type { CatalogEvent, OwnEventTexts } from "../../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../../schemas/email/content/catalog-texts";
import { type EventTexts, type MailTexts, REASON_TEXTS } from "./texts";

/** Returns the texts of the default mail of a company's own event. Its facts are its variables (see `factBlocks`). */
export function ownTexts({ variables, link_token }: CatalogEvent, { texts }: OwnEventTexts): EventTexts {
  const inLanguage = (language: EmailLanguage): MailTexts => {
    const { lead, button, footnote } = texts[language];
    const label = variables.find(({ token }) => token === link_token)?.labels?.[language];
    return {
      lead: paragraphsOf(lead),
      ...(label === undefined ? {} : { button: button === "" ? label : button }),
      ...(footnote === "" ? {} : { footnote }),
      reason: REASON_TEXTS.company[language],
    };
  };
  return { en: inLanguage("en"), fr: inLanguage("fr") };
}

/** Returns the paragraphs of a text, which empty lines separate. */
export const paragraphsOf = (text: string): string[] => (text === "" ? [] : text.split(/\n\s*\n/));
