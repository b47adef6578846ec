import type { EventTexts } from "./texts";

const REASON = {
  en: "You get this email because you operate this platform.",
  fr: "Vous recevez cet e-mail parce que vous exploitez cette plateforme.",
};

/** Mails to the operators of the platform about conditions that the job `watch` found. */
export const ALERT_TEXTS: Readonly<Record<string, EventTexts>> = {
  "platform.alert.firing": {
    state: { tone: "failure", en: "Needs attention", fr: "À traiter" },
    en: {
      lead: ["The platform checks itself every five minutes. Several checks in a row have found this:"],
      footnote: "You get another email when this is over, and none in between.",
      reason: REASON.en,
    },
    fr: {
      lead: [
        "La plateforme se contrôle toutes les cinq minutes. Voici ce qu’elle a constaté lors de contrôles successifs\u00a0:",
      ],
      footnote: "Un autre e-mail vous préviendra du retour à la normale\u00a0; vous n’en recevrez aucun entre-temps.",
      reason: REASON.fr,
    },
  },
  "platform.alert.resolved": {
    state: { tone: "success", en: "Back to normal", fr: "Retour à la normale" },
    en: { lead: ["The checks of the platform no longer find this:"], reason: REASON.en },
    fr: { lead: ["Les contrôles de la plateforme ne constatent plus ceci\u00a0:"], reason: REASON.fr },
  },
};
