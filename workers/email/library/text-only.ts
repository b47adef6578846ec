import { bareboneDocument, type LibraryDesign, paragraph, TEXT_SLOTS, title } from "./barebone";

/** `barebone.text-only`: words without a button, for news that ask for nothing. */
export const textOnly: LibraryDesign = {
  key: "barebone.text-only",
  set: "barebone",
  name: "Text only",
  subject: 'News from {{ company_name|default:"your team" }}',
  preheader: "A short message with everything that you need to know.",
  document: bareboneDocument([
    title('News from {{ company_name|default:"your team" }}'),
    paragraph("Write here what has happened, and what the reader can do about it.", { textId: TEXT_SLOTS.lead }),
  ]),
};
