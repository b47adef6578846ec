import type { EventTexts } from "./texts";

/** Mails to subscribers of newsletters that are not an issue of the newsletter. */
export const NEWSLETTER_TEXTS: Readonly<Record<string, EventTexts>> = {
  newsletter_confirmation: {
    en: {
      greeting: "Hi {{ first_name }},",
      lead: [
        'This address was entered to receive {{ list_name|default:"the newsletter" }} from {{ company_name|default:"this company" }}. If you want it, confirm your subscription.',
      ],
      button: "Confirm my subscription",
      footnote:
        "If you did not ask for this, ignore this email: without your confirmation, no newsletter is sent to you.",
      reason: "You get this email because this address was entered to subscribe to a newsletter.",
    },
    fr: {
      greeting: "Bonjour {{ first_name }},",
      lead: [
        'Cette adresse a été saisie pour recevoir {{ list_name|default:"la lettre d’information" }}, que publie {{ company_name|default:"cette entreprise" }}. Si vous le souhaitez, confirmez votre abonnement.',
      ],
      button: "Confirmer mon abonnement",
      footnote:
        "Si vous n’avez rien demandé, ignorez cet e-mail\u00a0: sans votre confirmation, aucune lettre d’information ne vous sera envoyée.",
      reason: "Vous recevez cet e-mail parce que cette adresse a été saisie pour s’abonner à une lettre d’information.",
    },
  },
};
