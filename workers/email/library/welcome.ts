import { bareboneDocument, callToAction, type LibraryDesign, paragraph, TEXT_SLOTS, title } from "./barebone";

/** `barebone.welcome`: somebody is let in, or invited. */
export const welcome: LibraryDesign = {
  key: "barebone.welcome",
  set: "barebone",
  name: "Welcome",
  subject: 'Welcome to {{ company_name|default:"the team" }}',
  preheader: "Your place is ready, and one press of a button takes you there.",
  document: bareboneDocument([
    title('Welcome to {{ company_name|default:"the team" }}'),
    paragraph("It is good to have you here. Everything is ready for your first visit.", { textId: TEXT_SLOTS.lead }),
    ...callToAction("Get started"),
    paragraph("If you did not expect this email, you can ignore it.", { class: "muted", textId: TEXT_SLOTS.aside }),
  ]),
};
