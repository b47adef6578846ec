import { bareboneDocument, callToAction, type LibraryDesign, paragraph, TEXT_SLOTS, title } from "./barebone";

/** `barebone.activation`: one step that proves the address, such as signing in. */
export const activation: LibraryDesign = {
  key: "barebone.activation",
  set: "barebone",
  name: "Activation",
  subject: 'Confirm your address for {{ company_name|default:"your account" }}',
  preheader: "One step is left, and it takes a single press of a button.",
  document: bareboneDocument([
    title("Confirm your address"),
    paragraph("Press the button to confirm that this address is yours.", { textId: TEXT_SLOTS.lead }),
    ...callToAction("Confirm"),
    paragraph("If you did not ask for this email, ignore it. Nothing happens without you.", {
      class: "muted",
      textId: TEXT_SLOTS.aside,
    }),
  ]),
};
