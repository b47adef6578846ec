import type { EmailLanguage } from "../../../../../schemas/email/content/catalog-texts";

/**
 * The texts of a mail about an event in one language. Mails omit a paragraph or a row when its first token without a default
 * is empty.
 */
export interface MailTexts {
  /** The first line, when it differs from the greeting of the other mails. */
  greeting?: string;
  /** Paragraphs below the heading. They say what happened and what the reader can do. */
  lead: readonly string[];
  /** Rows of the facts table, by label. A value in backticks is shown in monospace. */
  facts?: Readonly<Record<string, string>>;
  /** Label of the button with the main link of the event. */
  button?: string;
  /** The line above the sign-in code, which users can type instead of opening the link. */
  code?: string;
  /** How long the link is valid. */
  lifetime?: string;
  /** What to do if the reader did not request the mail. */
  footnote?: string;
  /** The reason why the reader got the mail. */
  reason: string;
}

/** The outcome of an event that succeeds or fails, shown as a coloured label above the heading. */
export type MailState = { tone: "success" | "warning" | "failure" } & Record<EmailLanguage, string>;

/** The texts of a mail about an event, by language. */
export type EventTexts = Record<EmailLanguage, MailTexts> & { state?: MailState };

/** Texts that all mails of a language share. */
export const FRAME_TEXTS = {
  en: {
    greeting: "Hi {{ recipient_name }},",
    address: "If the button does not work, copy this address into your browser:",
    contact: "Questions? Write to {{ system.reply_to }}.",
    noContact: "Replies to this email are not read.",
    preferences: "Choose the emails that you get",
    view: "View in browser",
    unsubscribe: 'Unsubscribe from {{ company_name|default:"these" }} notifications',
  },
  fr: {
    greeting: "Bonjour {{ recipient_name }},",
    address: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
    contact: "Une question\u00a0? Écrivez à {{ system.reply_to }}.",
    noContact: "Les réponses à cet e-mail ne sont pas lues.",
    preferences: "Choisir les e-mails à recevoir",
    view: "Voir dans le navigateur",
    unsubscribe: "Ne plus recevoir ces notifications",
  },
} as const satisfies Record<EmailLanguage, Record<string, string>>;

/** The rows of notices that say who caused the event and when. Mails omit a row without a value. */
export const OCCURRENCE_FACTS = {
  en: { By: "{{ system.words.actor }}", Time: "{{ occurred_at }}" },
  fr: { Par: "{{ system.words.actor }}", Date: "{{ occurred_at }}" },
} as const satisfies Record<EmailLanguage, Record<string, string>>;

/** Reasons for the footer. Mails about the same subject share one reason. */
export const REASON_TEXTS = {
  company: {
    en: 'You get this email because you are in contact with {{ company_name|default:"this company" }}.',
    fr: 'Vous recevez cet e-mail parce que vous êtes en relation avec {{ company_name|default:"cette entreprise" }}.',
  },
  apps: {
    en: "You get this email because this address gets notifications about apps and deployments.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications sur les applications et leurs déploiements.",
  },
  groups: {
    en: "You get this email because this address gets notifications about groups.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications sur les groupes.",
  },
  directory: {
    en: "You get this email because this address gets notifications about the directory sync.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications sur la synchronisation de l’annuaire.",
  },
  account: {
    en: 'You get this email because it is about the account of {{ recipient_email|default:"a member" }}.',
    fr: 'Vous recevez cet e-mail parce qu’il concerne le compte de {{ recipient_email|default:"l’un des membres" }}.',
  },
  files: {
    en: "You get this email because this address gets notifications about the file storage.",
    fr: "Vous recevez cet e-mail parce que cette adresse reçoit les notifications sur l’espace de fichiers.",
  },
} as const satisfies Record<string, Record<EmailLanguage, string>>;
