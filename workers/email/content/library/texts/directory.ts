import { type EventTexts, REASON_TEXTS } from "./texts";

/** Mails about groups and the directory sync. */
export const DIRECTORY_TEXTS: Readonly<Record<string, EventTexts>> = {
  "identity.group.created": {
    en: {
      lead: ["The group exists, but it has no effect until it has members."],
      button: "Add members",
      reason: REASON_TEXTS.groups.en,
    },
    fr: {
      lead: ["Le groupe existe et n’a pas d’effet tant qu’il n’a pas de membres."],
      button: "Ajouter des membres",
      reason: REASON_TEXTS.groups.fr,
    },
  },
  "identity.group.deleted": {
    en: {
      lead: ["Its members lose the access that the group gave them, unless they also have it from another source."],
      button: "View the event",
      reason: REASON_TEXTS.groups.en,
    },
    fr: {
      lead: ["Ses membres perdent les accès que le groupe leur donnait, sauf s’ils les ont aussi par un autre moyen."],
      button: "Voir l’événement",
      reason: REASON_TEXTS.groups.fr,
    },
  },
  "identity.group.membership_changed": {
    en: {
      lead: ['{{ system.words.change|default:"Somebody joined or left the group." }}'],
      facts: {
        Joined: "{{ system.words.joined }}",
        Left: "{{ system.words.left }}",
        Members: "{{ system.words.members }}",
      },
      button: "View the group",
      reason: REASON_TEXTS.groups.en,
    },
    fr: {
      lead: ['{{ system.words.change|default:"Une personne a rejoint ou quitté le groupe." }}'],
      facts: {
        Arrivées: "{{ system.words.joined }}",
        Départs: "{{ system.words.left }}",
        Membres: "{{ system.words.members }}",
      },
      button: "Voir le groupe",
      reason: REASON_TEXTS.groups.fr,
    },
  },
  "identity.group.updated": {
    en: {
      lead: ["Details of the group were changed. Its members are the same as before."],
      facts: { Changed: "{{ system.words.changed_fields }}" },
      button: "View the group",
      reason: REASON_TEXTS.groups.en,
    },
    fr: {
      lead: ["Des informations du groupe ont été modifiées. Ses membres restent les mêmes."],
      facts: { Modifié: "{{ system.words.changed_fields }}" },
      button: "Voir le groupe",
      reason: REASON_TEXTS.groups.fr,
    },
  },
  "identity.scim.provisioning_conflict": {
    state: { tone: "warning", en: "Action required", fr: "Action requise" },
    en: {
      lead: [
        "The directory requested a change that your company does not allow. If a name is already taken, rename one of the two entries. If the user is the last owner, make another member an owner first. The next sync will then apply the change.",
      ],
      facts: { "It tried to": "{{ system.words.operation }}" },
      button: "View the conflict",
      reason: REASON_TEXTS.directory.en,
    },
    fr: {
      lead: [
        "L’annuaire a demandé un changement que votre entreprise n’autorise pas. Si un nom est déjà pris, renommez l’une des deux entrées. Si la personne est le dernier propriétaire, nommez d’abord un autre membre propriétaire. La prochaine synchronisation fera le reste.",
      ],
      facts: { Demande: "{{ system.words.operation }}" },
      button: "Voir le conflit",
      reason: REASON_TEXTS.directory.fr,
    },
  },
  "identity.scim.token.created": {
    en: {
      lead: [
        "A directory can use this token to manage users and groups. If nobody in your company created it, revoke it at once in the directory settings.",
      ],
      facts: {
        Token: "{{ token_name }}",
        "Begins with": "`{{ token_prefix }}`",
        Country: "{{ system.words.country_code }}",
      },
      button: "View or revoke the token",
      reason: REASON_TEXTS.directory.en,
    },
    fr: {
      lead: [
        "Avec ce jeton, un annuaire peut gérer les personnes et les groupes. Si personne chez vous ne l’a créé, révoquez-le aussitôt dans les réglages de l’annuaire.",
      ],
      facts: {
        Jeton: "{{ token_name }}",
        "Commence par": "`{{ token_prefix }}`",
        Pays: "{{ system.words.country_code }}",
      },
      button: "Voir ou révoquer le jeton",
      reason: REASON_TEXTS.directory.fr,
    },
  },
  "identity.scim.token.revoked": {
    en: {
      lead: ["The token no longer works. If the sync should continue, give the directory a new token."],
      facts: {
        "Begins with": "`{{ token_prefix }}`",
        Country: "{{ system.words.country_code }}",
      },
      button: "View the tokens",
      reason: REASON_TEXTS.directory.en,
    },
    fr: {
      lead: ["Le jeton ne fonctionne plus. Si la synchronisation doit continuer, donnez-en un nouveau à l’annuaire."],
      facts: {
        "Commence par": "`{{ token_prefix }}`",
        Pays: "{{ system.words.country_code }}",
      },
      button: "Voir les jetons",
      reason: REASON_TEXTS.directory.fr,
    },
  },
  "identity.scim.user.deprovisioned": {
    en: {
      lead: ["Signing in is no longer possible. The directory removed this access and can restore it."],
      reason: REASON_TEXTS.account.en,
    },
    fr: {
      lead: ["La connexion n’est plus possible. L’annuaire a retiré cet accès et peut le rétablir."],
      reason: REASON_TEXTS.account.fr,
    },
  },
  "identity.scim.user.provisioned": {
    state: { tone: "success", en: "Access granted", fr: "Accès accordé" },
    en: {
      lead: ["Signing in with this address works from now on."],
      button: "Sign in",
      reason: REASON_TEXTS.account.en,
    },
    fr: {
      lead: ["La connexion avec cette adresse est possible dès maintenant."],
      button: "Se connecter",
      reason: REASON_TEXTS.account.fr,
    },
  },
};
