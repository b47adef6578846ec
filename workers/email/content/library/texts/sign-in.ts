import { type EventTexts, REASON_TEXTS } from "./texts";

/** Mails that sign users in, and mails that notify them of a sign-in. */
export const SIGN_IN_TEXTS: Readonly<Record<string, EventTexts>> = {
  "identity.auth.login.new_device_detected": {
    state: { tone: "warning", en: "New device", fr: "Nouvel appareil" },
    en: {
      lead: [
        "Somebody signed in with your address on a device that we had not seen before. If it was you, there is nothing to do.",
      ],
      facts: { Device: "{{ device }}", Country: "{{ country }}", Time: "{{ signed_in_at }}" },
      button: "End this session",
      footnote:
        "You are asked to confirm, and only this session ends. Anyone who can read your mail can sign in again: if it was not you, change the password of your mailbox as well.",
      reason: "You get this email because it concerns the security of your account.",
    },
    fr: {
      lead: [
        "Quelqu’un s’est connecté avec votre adresse sur un appareil que nous ne connaissions pas. Si c’était vous, il n’y a rien à faire.",
      ],
      facts: { Appareil: "{{ device }}", Pays: "{{ country }}", Date: "{{ signed_in_at }}" },
      button: "Mettre fin à la session",
      footnote:
        "Une confirmation vous est demandée, et seule cette session prend fin. Une personne qui lit vos e-mails peut se connecter à nouveau\u00a0: si ce n’était pas vous, changez aussi le mot de passe de votre messagerie.",
      reason: "Vous recevez cet e-mail parce qu’il concerne la sécurité de votre compte.",
    },
  },
  "identity.auth.magic_link.requested": {
    en: {
      lead: ["You need no password. The page that opens asks you to confirm."],
      facts: { "Requested from": "{{ device }}", Country: "{{ country }}", Time: "{{ requested_at }}" },
      button: "Sign in",
      code: "Code for the page where you asked to sign in:",
      lifetime: "Valid once, for {{ link_lifetime }} after your request.",
      footnote:
        "If you did not ask to sign in, ignore this email. Nobody can sign in without it, so do not forward it or share its content.",
      reason: "You get this email because this address was entered to sign in.",
    },
    fr: {
      lead: ["Aucun mot de passe n’est nécessaire. La page qui s’ouvre vous demande de confirmer."],
      facts: { "Demandé depuis": "{{ device }}", Pays: "{{ country }}", Date: "{{ requested_at }}" },
      button: "Se connecter",
      code: "Code à saisir sur la page de connexion\u00a0:",
      lifetime: "Valable une seule fois, pendant {{ link_lifetime }} après votre demande.",
      footnote:
        "Si vous n’avez pas demandé à vous connecter, ignorez cet e-mail. Sans lui, la connexion est impossible\u00a0: ne le transférez pas et ne communiquez son contenu à personne.",
      reason: "Vous recevez cet e-mail parce que cette adresse a été saisie pour se connecter.",
    },
  },
  "identity.membership.enabled": {
    state: { tone: "success", en: "Access granted", fr: "Accès accordé" },
    en: {
      lead: ['You have access. Sign in with {{ recipient_email|default:"this address" }} whenever you like.'],
      button: "Sign in",
      reason: "You get this email because you were given access.",
    },
    fr: {
      lead: ['Vous y avez accès. Connectez-vous quand vous voulez avec {{ recipient_email|default:"cette adresse" }}.'],
      button: "Se connecter",
      reason: "Vous recevez cet e-mail parce qu’un accès vient de vous être accordé.",
    },
  },
  "identity.membership.requested": {
    state: { tone: "warning", en: "Approval needed", fr: "Décision attendue" },
    en: {
      lead: [
        '{{ requester_email|default:"Somebody" }} tried to sign in and is waiting for your decision. Until then, they have no access.',
      ],
      button: "Decide on the request",
      reason: "You get this email because you decide on access requests.",
    },
    fr: {
      lead: [
        '{{ requester_email|default:"Une personne" }} a voulu se connecter et attend votre décision. D’ici là, aucun accès ne lui est donné.',
      ],
      button: "Répondre à la demande",
      reason: "Vous recevez cet e-mail parce que vous décidez des accès.",
    },
  },
  "identity.user.invited": {
    en: {
      lead: ["Open the invitation and sign in with this address to accept it."],
      button: "Open the invitation",
      lifetime: "This invitation works for {{ link_lifetime }}.",
      footnote:
        "If you do not know who invited you, ignore this email. Nothing happens until you sign in, and the invitation is meant for you alone.",
      reason: 'You get this email because {{ recipient_email|default:"this address" }} was invited.',
    },
    fr: {
      lead: ["Ouvrez l’invitation, puis connectez-vous avec cette adresse pour l’accepter."],
      button: "Ouvrir l’invitation",
      lifetime: "Cette invitation est valable {{ link_lifetime }}.",
      footnote:
        "Si vous ne savez pas qui vous invite, ignorez cet e-mail. L’invitation n’est destinée qu’à vous et reste sans effet tant que vous ne vous connectez pas.",
      reason:
        'Vous recevez cet e-mail parce qu’une invitation a été envoyée à {{ recipient_email|default:"cette adresse" }}.',
    },
  },
  "identity.user.invitation_revoked": {
    en: {
      lead: [
        'The invitation that was sent to {{ recipient_email|default:"this address" }} no longer works. If that surprises you, ask the person who invited you.',
      ],
      reason: "You get this email because this address had been invited.",
    },
    fr: {
      lead: [
        'L’invitation envoyée à {{ recipient_email|default:"cette adresse" }} n’est plus valable. Si cela vous surprend, demandez à la personne qui vous a invité.',
      ],
      reason: "Vous recevez cet e-mail parce que cette adresse avait été invitée.",
    },
  },
};

/** Mails about accounts of a company. They are sent to the user or to the people who manage accounts. */
export const ACCOUNT_TEXTS: Readonly<Record<string, EventTexts>> = {
  "identity.user.created": {
    state: { tone: "success", en: "Account ready", fr: "Compte prêt" },
    en: {
      lead: ["The account is ready. Signing in with this address works from now on."],
      facts: { Origin: "{{ system.words.source }}" },
      button: "Sign in",
      reason: REASON_TEXTS.account.en,
    },
    fr: {
      lead: ["Le compte est prêt. La connexion avec cette adresse est possible dès maintenant."],
      facts: { Origine: "{{ system.words.source }}" },
      button: "Se connecter",
      reason: REASON_TEXTS.account.fr,
    },
  },
  "identity.user.deleted": {
    en: {
      lead: ['The account of {{ recipient_email|default:"a member" }} was deleted and can no longer sign in.'],
      reason: REASON_TEXTS.account.en,
    },
    fr: {
      lead: [
        'Le compte de {{ recipient_email|default:"l’un des membres" }} a été supprimé et ne permet plus de se connecter.',
      ],
      reason: REASON_TEXTS.account.fr,
    },
  },
  "identity.user.updated": {
    en: {
      lead: [
        'The profile of {{ recipient_email|default:"a member" }} was changed. If nobody you know did this, tell the person who manages accounts.',
      ],
      facts: { Changed: "{{ system.words.changed_fields }}" },
      button: "View the account",
      reason: REASON_TEXTS.account.en,
    },
    fr: {
      lead: [
        'Le profil de {{ recipient_email|default:"l’un des membres" }} a été modifié. Si personne de votre connaissance ne l’a fait, prévenez la personne qui gère les comptes.',
      ],
      facts: { Modifié: "{{ system.words.changed_fields }}" },
      button: "Voir le compte",
      reason: REASON_TEXTS.account.fr,
    },
  },
};
