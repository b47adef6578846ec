import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { composeDocument } from "../render/compose";
import type { MailContent } from "../tokens/substitution";
import { adaptDesign } from "./adaptation";
import { LIBRARY_DESIGNS, type LibraryDesign } from "./designs/designs";

/** Composes a design for the library in the default colours. */
export function composeDesign(design: LibraryDesign): { html: string; text: string } {
  const { set, subject, preheader, document } = design;
  return composeDocument(document, { set, language: "en", subject, preheader, isBranded: false });
}

/**
 * Composes the mail of an event for companies without a custom template. Throws when no design has the key `default_template`
 * of the event. The build of the library composes every event, so it fails then too.
 */
export function composeDefaultContent(event: CatalogEvent, language: EmailLanguage): MailContent {
  const design = LIBRARY_DESIGNS.find(({ key }) => key === event.default_template);
  if (design === undefined) throw new Error(`${event.event_type}: no design ${event.default_template}`);
  const { subject, preheader } = event.suggested[language];
  const document = adaptDesign(design.document, event, language, []);
  return { subject, ...composeDocument(document, { set: design.set, language, subject, preheader }) };
}
