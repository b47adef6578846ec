import type { EmailLanguage } from "../../../schemas/email/catalog-texts";

/** Words of the body around a main link; a paragraph with a token is left out when the token is empty. */
export interface LinkWords {
  lead: string;
  button: string;
  addressLabel: string;
  /** Above the typed code `sign_in_code`. */
  codeLabel?: string;
  /** Holds `link_lifetime`. */
  lifetime?: string;
  /** What to do if one did not ask for the mail. */
  aside: string;
}

/** Words that every mail of a language shares. */
export const FRAME_WORDS: Record<EmailLanguage, { sender: string; unsubscribe: string; address: string }> = {
  en: {
    sender: "Sent by {{ company_name }}",
    unsubscribe: "Stop these emails",
    address: "If the button does not work, copy this address into your browser:",
  },
  fr: {
    sender: "Envoyé par {{ company_name }}",
    unsubscribe: "Ne plus recevoir ces e-mails",
    address: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
  },
};

/** Body words of the events that have a main link. */
export const LINK_WORDS: Readonly<Record<string, Record<EmailLanguage, LinkWords>>> = {
  "identity.auth.login.new_device_detected": {
    en: {
      lead: "Somebody signed in with your address on a device that we had not seen before. If it was you, there is nothing to do.",
      button: "End this session",
      addressLabel: "If the button does not work, copy this address into your browser:",
      aside:
        "The button opens a page that asks once more, and ends this one session. Who can read your mail can sign in again: if it was not you, change the password of your mailbox as well.",
    },
    fr: {
      lead: "Quelqu’un s’est connecté avec votre adresse sur un appareil que nous ne connaissions pas. Si c’était vous, il n’y a rien à faire.",
      button: "Mettre fin à la session",
      addressLabel: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
      aside:
        "Le bouton ouvre une page qui demande confirmation, puis met fin à cette seule session. Qui peut lire vos e-mails peut se connecter à nouveau\u00a0: si ce n’était pas vous, changez aussi le mot de passe de votre messagerie.",
    },
  },
  "identity.auth.magic_link.requested": {
    en: {
      lead: "Press the button and confirm on the page that opens. You need no password.",
      button: "Sign in",
      addressLabel: "If the button does not work, copy this address into your browser:",
      codeLabel: "Or type this code on the page where you asked to sign in:",
      lifetime: "This sign-in works once and ends {{ link_lifetime }} after you asked for it.",
      aside:
        "If you did not ask to sign in, ignore this email. Nobody can sign in without it, so do not forward it and do not tell anyone what it holds.",
    },
    fr: {
      lead: "Appuyez sur le bouton, puis confirmez sur la page qui s’ouvre. Aucun mot de passe n’est nécessaire.",
      button: "Se connecter",
      addressLabel: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
      codeLabel: "Ou saisissez ce code sur la page où vous avez demandé à vous connecter\u00a0:",
      lifetime: "Cette connexion ne sert qu’une fois et prend fin {{ link_lifetime }} après votre demande.",
      aside:
        "Si vous n’avez pas demandé à vous connecter, ignorez cet e-mail. Personne ne peut se connecter sans lui\u00a0: ne le transférez pas et ne communiquez son contenu à personne.",
    },
  },
  "identity.user.invited": {
    en: {
      lead: "Open the invitation to see what it gives you access to, and accept it there.",
      button: "Open the invitation",
      addressLabel: "If the button does not work, copy this address into your browser:",
      lifetime: "This invitation works for {{ link_lifetime }}.",
      aside:
        "If you do not know who invited you, ignore this email. Nothing happens until you accept, and the invitation is meant for you alone.",
    },
    fr: {
      lead: "Ouvrez l’invitation pour voir les accès qu’elle vous donne, et acceptez-la sur la page qui s’ouvre.",
      button: "Ouvrir l’invitation",
      addressLabel: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:",
      lifetime: "Cette invitation est valable {{ link_lifetime }}.",
      aside:
        "Si vous ne savez pas qui vous invite, ignorez cet e-mail. Rien ne se passe tant que vous n’acceptez pas, et l’invitation n’est destinée qu’à vous.",
    },
  },
};

type Label = Record<EmailLanguage, string>;

const LABELS: Readonly<Record<string, Label>> = {
  app_version: { en: "Version", fr: "Version" },
  bucket_name: { en: "Storage", fr: "Espace" },
  change: { en: "Change", fr: "Changement" },
  changed_fields: { en: "Changed fields", fr: "Champs modifiés" },
  country: { en: "Country", fr: "Pays" },
  device: { en: "Device", fr: "Appareil" },
  signed_in_at: { en: "Signed in", fr: "Connexion" },
  company_name: { en: "Company", fr: "Entreprise" },
  display_name: { en: "Group", fr: "Groupe" },
  error: { en: "Error", fr: "Erreur" },
  host: { en: "Receiver", fr: "Destinataire" },
  inviter_name: { en: "Invited by", fr: "Invitation de" },
  mime_type: { en: "Type", fr: "Type" },
  name: { en: "Short name", fr: "Nom court" },
  operation: { en: "Operation", fr: "Opération" },
  path: { en: "File", fr: "Fichier" },
  recipient_email: { en: "Email address", fr: "Adresse e-mail" },
  recipient_name: { en: "Name", fr: "Nom" },
  requester_email: { en: "Asked by", fr: "Demande de" },
  rule_event_type: { en: "Event", fr: "Événement" },
  rule_name: { en: "Webhook", fr: "Webhook" },
  slug: { en: "Identifier", fr: "Identifiant" },
  source: { en: "Source", fr: "Origine" },
  token_name: { en: "Token", fr: "Jeton" },
  token_prefix: { en: "Begins with", fr: "Commence par" },
};

/** What a person does at the address of a URL variable. */
const ACTIONS: Readonly<Record<string, Label>> = {
  app_home_url: { en: "Open the application", fr: "Ouvrir l’application" },
  app_url: { en: "Sign in", fr: "Se connecter" },
  review_url: { en: "Review the request", fr: "Examiner la demande" },
};

/** The words of a button or link to the address of a URL variable. */
export function actionLabel(token: string, language: EmailLanguage): string {
  const label = ACTIONS[token];
  if (label === undefined) throw new Error(`a URL variable without words for its button: ${token}`);
  return label[language];
}

const APP_LABEL: Label = { en: "App", fr: "Application" };
const ENTRY_LABEL: Label = { en: "Name", fr: "Nom" };

/** What stands before the value of a variable in the details of a mail. */
export function detailLabel(eventType: string, token: string, language: EmailLanguage): string {
  let label = LABELS[token];
  if (token === "display_name" && eventType.startsWith("hosting.")) label = APP_LABEL;
  if (token === "display_name" && eventType.startsWith("identity.scim.")) label = ENTRY_LABEL;
  return label?.[language] ?? token;
}
