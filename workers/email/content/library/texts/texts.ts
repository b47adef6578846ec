import type { EmailLanguage } from "../../../../../schemas/email/content/catalog-texts";

/**
 * What a mail says about an event in one language. A paragraph or row with a token that has no default is left out when the
 * first such token is empty.
 */
export interface MailTexts {
  /** Paragraphs under the heading: what happened, in plain words, and what can be done. */
  lead: readonly string[];
  /** Facts as a table, by what stands before them; a value of only one token in backticks is machine text. */
  facts?: Readonly<Record<string, string>>;
  /** The word on the button to the event's main link. */
  button?: string;
  /** Above the code that is typed instead of following the link. */
  code?: string;
  /** Holds how long the link lives. */
  lifetime?: string;
  /** What to do if one did not ask for the mail. */
  aside?: string;
  /** Why the mail came. */
  why: string;
}

/** How the event ended, where it ends well or badly; the word stands in a coloured mark above the heading. */
export type MailState = { tone: "success" | "warning" | "failure" } & Record<EmailLanguage, string>;

/** What a mail says about an event. */
export type EventTexts = Record<EmailLanguage, MailTexts> & { state?: MailState };

/** Words that every mail of a language shares. */
export const FRAME_WORDS = {
  en: {
    greeting: "Hi {{ recipient_name }},",
    address: "If the button does not work, copy this address into your browser:",
    contact: "Questions? Write to {{ system.reply_to }}.",
    noContact: "Replies to this email are not read.",
    unsubscribe: 'Stop notifications from {{ company_name|default:"this company" }}',
  },
  fr: {
    greeting: "Bonjour {{ recipient_name }},",
    address: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
    contact: "Une question\u00a0? Écrivez à {{ system.reply_to }}.",
    noContact: "Les réponses à cet e-mail ne sont pas lues.",
    unsubscribe: 'Arrêter les notifications {{ company_name|default:"de cette entreprise" }}',
  },
} as const satisfies Record<EmailLanguage, Record<string, string>>;

/** What a person does at the address of a URL variable that is not its event's main link. */
export const ACTION_WORDS: Readonly<Record<string, Record<EmailLanguage, string>>> = {
  app_url: { en: "Sign in", fr: "Se connecter" },
  app_home_url: { en: "Open the application", fr: "Ouvrir l’application" },
  review_url: { en: "Review the request", fr: "Examiner la demande" },
};

/** Why mails about the same things come. */
export const WHY = {
  apps: {
    en: "You get this email because this address gets notifications about apps and deployments.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications des applications et de leurs déploiements.",
  },
  groups: {
    en: "You get this email because this address gets notifications about groups.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications des groupes.",
  },
  directory: {
    en: "You get this email because this address gets notifications about the directory sync.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications de la synchronisation de l’annuaire.",
  },
  account: {
    en: 'You get this email because it is about the account of {{ recipient_email|default:"a member" }}.',
    fr: 'Vous recevez cet e-mail parce qu’il concerne le compte de {{ recipient_email|default:"l’un des membres" }}.',
  },
  files: {
    en: "You get this email because this address gets notifications about the file storage.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications de l’espace de fichiers.",
  },
  security: {
    en: "You get this email because it concerns security, so it cannot be turned off.",
    fr: "Vous recevez cet e-mail parce qu’il concerne la sécurité\u00a0; il ne peut donc pas être désactivé.",
  },
} as const satisfies Record<string, Record<EmailLanguage, string>>;
