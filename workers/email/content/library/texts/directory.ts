import { type EventTexts, WHY } from "./texts";

/** Mails about groups and the directory sync. */
export const DIRECTORY_WORDS: Readonly<Record<string, EventTexts>> = {
  "identity.group.created": {
    en: {
      lead: ["The group is there and has no effect until it has members."],
      facts: { Origin: "{{ system.words.source }}" },
      why: WHY.groups.en,
    },
    fr: {
      lead: ["Le groupe existe et n’a pas d’effet tant qu’il n’a pas de membres."],
      facts: { Origine: "{{ system.words.source }}" },
      why: WHY.groups.fr,
    },
  },
  "identity.group.deleted": {
    en: {
      lead: ["What the group opened is closed to its members now, unless something else opens it for them."],
      why: WHY.groups.en,
    },
    fr: {
      lead: ["Ce que le groupe ouvrait est fermé à ses membres, sauf si un autre accès le leur ouvre."],
      why: WHY.groups.fr,
    },
  },
  "identity.group.membership_changed": {
    en: { lead: ['{{ system.words.change|default:"Somebody joined or left the group." }}'], why: WHY.groups.en },
    fr: {
      lead: ['{{ system.words.change|default:"Une personne a rejoint ou quitté le groupe." }}'],
      why: WHY.groups.fr,
    },
  },
  "identity.group.updated": {
    en: {
      lead: ["Somebody changed details of the group. Its members stay the same."],
      facts: { Changed: "{{ system.words.changed_fields }}" },
      why: WHY.groups.en,
    },
    fr: {
      lead: ["Des informations du groupe ont été modifiées. Ses membres restent les mêmes."],
      facts: { Modifié: "{{ system.words.changed_fields }}" },
      why: WHY.groups.fr,
    },
  },
  "identity.scim.provisioning_conflict": {
    state: { tone: "warning", en: "Needs you", fr: "Action requise" },
    en: {
      lead: [
        "The directory asked for a change that could not be made, because the name is already taken. Rename one of the two, and the next sync takes the change.",
      ],
      facts: { "It tried to": "{{ system.words.operation }}" },
      why: WHY.directory.en,
    },
    fr: {
      lead: [
        "L’annuaire a demandé un changement impossible, car ce nom est déjà pris. Renommez l’une des deux entrées, et la prochaine synchronisation fera le reste.",
      ],
      facts: { Demande: "{{ system.words.operation }}" },
      why: WHY.directory.fr,
    },
  },
  "identity.scim.token.created": {
    en: {
      lead: [
        "With this token a directory can manage people and groups. If nobody on your side made it, revoke it in the directory settings.",
      ],
      facts: { Token: "{{ token_name }}", "Begins with": "`{{ token_prefix }}`" },
      why: WHY.security.en,
    },
    fr: {
      lead: [
        "Avec ce jeton, un annuaire peut gérer les personnes et les groupes. Si personne chez vous ne l’a créé, révoquez-le dans les réglages de l’annuaire.",
      ],
      facts: { Jeton: "{{ token_name }}", "Commence par": "`{{ token_prefix }}`" },
      why: WHY.security.fr,
    },
  },
  "identity.scim.token.revoked": {
    en: {
      lead: ["The token no longer works. If the directory should go on with its sync, give it a new one."],
      facts: { Token: "{{ token_name }}", "Begins with": "`{{ token_prefix }}`" },
      why: WHY.security.en,
    },
    fr: {
      lead: ["Le jeton ne fonctionne plus. Si la synchronisation doit continuer, donnez-en un nouveau à l’annuaire."],
      facts: { Jeton: "{{ token_name }}", "Commence par": "`{{ token_prefix }}`" },
      why: WHY.security.fr,
    },
  },
  "identity.scim.user.deprovisioned": {
    en: {
      lead: ["Signing in is no longer possible. The directory ended this access and can give it back."],
      why: WHY.account.en,
    },
    fr: {
      lead: ["La connexion n’est plus possible. L’annuaire a retiré cet accès et peut le rendre."],
      why: WHY.account.fr,
    },
  },
  "identity.scim.user.provisioned": {
    state: { tone: "success", en: "Access open", fr: "Accès ouvert" },
    en: {
      lead: ["Signing in with this address works from now on."],
      facts: { "Access given by": "{{ system.words.source }}" },
      why: WHY.account.en,
    },
    fr: {
      lead: ["La connexion avec cette adresse est possible dès maintenant."],
      facts: { "Accès donné par": "{{ system.words.source }}" },
      why: WHY.account.fr,
    },
  },
};
