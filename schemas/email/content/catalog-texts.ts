/** Subject and preheader in one language. Both may contain tokens: `{{ token|default:"…" }}`. */
export interface SuggestedText {
  subject: string;
  preheader: string;
}

/** The languages of the built-in texts. */
export const EMAIL_LANGUAGES = ["en", "fr"] as const;
export type EmailLanguage = (typeof EMAIL_LANGUAGES)[number];
export type Suggested = Record<EmailLanguage, SuggestedText>;

/** Suggested subjects and preheaders by event type. */
export const SUGGESTED_TEXTS = {
  "email.lane.paused": {
    en: {
      subject: 'Bulk mail of {{ company_name|default:"your company" }} is paused',
      preheader: "Too many recipients reported it as spam; all other mail is still sent.",
    },
    fr: {
      subject: 'Envois groupés suspendus pour {{ company_name|default:"votre entreprise" }}',
      preheader: "Trop de destinataires les signalent comme indésirables\u00a0; les autres e-mails partent toujours.",
    },
  },
  "hosting.app.created": {
    en: {
      subject: 'You can now deploy {{ display_name|default:"your app" }}',
      preheader: "Send a first version whenever you are ready, and it will get its own address.",
    },
    fr: {
      subject: 'Vous pouvez déployer {{ display_name|default:"votre application" }}',
      preheader: "Envoyez une première version quand vous voulez, elle recevra sa propre adresse.",
    },
  },
  "hosting.app.deleted": {
    en: {
      subject: '{{ display_name|default:"Your app" }} was removed',
      preheader: "Its address no longer responds, and you can create a new app at any time.",
    },
    fr: {
      subject: 'L’application {{ display_name|default:"hébergée" }} a été supprimée',
      preheader: "Son adresse ne répond plus, et vous pouvez créer une autre application à tout moment.",
    },
  },
  "hosting.deployment.created": {
    en: {
      subject: 'Deployment of {{ display_name|default:"your app" }} has started',
      preheader: "The current version stays live until the new one is ready.",
    },
    fr: {
      subject: 'Le déploiement de {{ display_name|default:"votre application" }} a commencé',
      preheader: "La version en ligne le reste jusqu’à ce que la nouvelle soit prête.",
    },
  },
  "hosting.deployment.failed": {
    en: {
      subject: 'Deployment of {{ display_name|default:"your app" }} failed',
      preheader: "Nothing changes for visitors, so you can correct the error and deploy again.",
    },
    fr: {
      subject: 'Le déploiement de {{ display_name|default:"votre application" }} a échoué',
      preheader: "Rien ne change pour les visiteurs\u00a0: vous pouvez corriger l’erreur puis recommencer.",
    },
  },
  "hosting.deployment.succeeded": {
    en: {
      subject: 'The new version of {{ display_name|default:"your app" }} is live',
      preheader: "Everyone who opens the app gets it from now on.",
    },
    fr: {
      subject: 'La nouvelle version de {{ display_name|default:"votre application" }} est en ligne',
      preheader: "Toute personne qui ouvre l’application l’obtient désormais.",
    },
  },
  "identity.action_rule.failing": {
    en: {
      subject: '{{ rule_name|default:"A webhook" }} keeps failing',
      preheader: "The receiver of the webhook no longer accepts events: check it and its last attempts.",
    },
    fr: {
      subject: 'Le webhook {{ rule_name|default:"sans nom" }} est en échec',
      preheader: "Son destinataire ne reçoit plus d’événements\u00a0: vérifiez son adresse et ses derniers essais.",
    },
  },
  "identity.auth.login.new_device_detected": {
    en: {
      subject: 'New sign-in to {{ company_name|default:"your account" }}',
      preheader: "A device that we had not seen before has signed in with your address.",
    },
    fr: {
      subject: 'Nouvelle connexion à {{ company_name|default:"votre compte" }}',
      preheader: "Un appareil que nous ne connaissions pas s’est connecté avec votre adresse.",
    },
  },
  "identity.auth.magic_link.requested": {
    en: {
      subject: 'Sign in to {{ company_name|default:"your account" }}',
      preheader:
        'Continue to {{ company_name|default:"your account" }} from this email, or ignore it if you did not ask for it.',
    },
    fr: {
      subject: 'Se connecter à {{ company_name|default:"votre compte" }}',
      preheader:
        'Accédez à {{ company_name|default:"votre compte" }} depuis cet e-mail, ou ignorez-le si vous n’avez rien demandé.',
    },
  },
  "identity.group.created": {
    en: {
      subject: 'The group {{ display_name|default:"without a name" }} was added',
      preheader: "Add members to the group to give them its access rights.",
    },
    fr: {
      subject: 'Le groupe {{ display_name|default:"sans nom" }} a été ajouté',
      preheader: "Ajoutez des membres au groupe pour leur donner les accès qu’il ouvre.",
    },
  },
  "identity.group.deleted": {
    en: {
      subject: 'The group {{ display_name|default:"without a name" }} was deleted',
      preheader: "Check that its former members still have the access that they need.",
    },
    fr: {
      subject: 'Le groupe {{ display_name|default:"sans nom" }} a été supprimé',
      preheader: "Vérifiez que ses anciens membres gardent les accès dont ils ont besoin.",
    },
  },
  "identity.group.membership_changed": {
    en: {
      subject: 'The members of {{ display_name|default:"a group" }} changed',
      preheader: "Look at the group if you did not expect a change of its members.",
    },
    fr: {
      subject: 'Le groupe {{ display_name|default:"sans nom" }} a changé de membres',
      preheader: "Consultez le groupe si ce changement de membres vous surprend.",
    },
  },
  "identity.group.updated": {
    en: {
      subject: 'The group {{ display_name|default:"without a name" }} was changed',
      preheader: "Look at the group if you did not expect this change.",
    },
    fr: {
      subject: 'Le groupe {{ display_name|default:"sans nom" }} a été modifié',
      preheader: "Consultez le groupe si cette modification vous surprend.",
    },
  },
  "identity.membership.enabled": {
    en: {
      subject: 'Your access to {{ company_name|default:"your company" }} is now open',
      preheader: "You can sign in with the address that received this email.",
    },
    fr: {
      subject: 'Votre accès à {{ company_name|default:"votre entreprise" }} est ouvert',
      preheader: "Vous pouvez vous connecter avec l’adresse qui a reçu cet e-mail.",
    },
  },
  "identity.membership.requested": {
    en: {
      subject: 'Someone requested access to {{ company_name|default:"your company" }}',
      preheader: "Review the request among the members and decide whether to accept it.",
    },
    fr: {
      subject: 'Une personne demande l’accès à {{ company_name|default:"votre entreprise" }}',
      preheader: "Examinez la demande parmi les membres, puis acceptez-la ou refusez-la.",
    },
  },
  "identity.scim.provisioning_conflict": {
    en: {
      subject: 'The directory sync has a conflict with {{ display_name|default:"an entry" }}',
      preheader: "A change by your directory was rejected and needs a decision of an owner.",
    },
    fr: {
      subject: 'L’annuaire signale un conflit avec {{ display_name|default:"une entrée" }}',
      preheader: "Un changement de votre annuaire a été refusé et demande une décision d’un propriétaire.",
    },
  },
  "identity.scim.token.created": {
    en: {
      subject: 'A directory token was created for {{ company_name|default:"your company" }}',
      preheader: "Revoke the token in the directory settings if nobody in your company created it.",
    },
    fr: {
      subject: 'Un jeton d’annuaire a été créé pour {{ company_name|default:"votre entreprise" }}',
      preheader: "Révoquez-le dans les réglages de l’annuaire si personne chez vous ne l’a créé.",
    },
  },
  "identity.scim.token.revoked": {
    en: {
      subject: 'The directory token {{ token_name|default:"of your company" }} was revoked',
      preheader: "Give the directory a new token if it should continue to sync.",
    },
    fr: {
      subject: 'Le jeton d’annuaire {{ token_name|default:"de l’entreprise" }} a été révoqué',
      preheader: "Donnez un nouveau jeton à l’annuaire si la synchronisation doit continuer.",
    },
  },
  "identity.scim.user.deprovisioned": {
    en: {
      subject: 'Access ended for {{ recipient_email|default:"a member" }}',
      preheader: "The directory removed this access, and only the directory can restore it.",
    },
    fr: {
      subject: 'L’accès de {{ recipient_email|default:"l’un des membres" }} a pris fin',
      preheader: "L’annuaire a retiré cet accès, et lui seul peut le rétablir.",
    },
  },
  "identity.scim.user.provisioned": {
    en: {
      subject: 'Access is ready for {{ recipient_email|default:"a member" }}',
      preheader: "The directory granted this access, and signing in is possible from now on.",
    },
    fr: {
      subject: 'Accès accordé à {{ recipient_email|default:"un membre" }}',
      preheader: "L’annuaire a donné cet accès, et la connexion est possible dès maintenant.",
    },
  },
  "identity.user.created": {
    en: {
      subject: 'An account was created for {{ recipient_email|default:"a member" }}',
      preheader: "Signing in with this address is possible from now on.",
    },
    fr: {
      subject: 'Un compte a été créé pour {{ recipient_email|default:"un membre" }}',
      preheader: "La connexion avec cette adresse est possible dès maintenant.",
    },
  },
  "identity.user.deleted": {
    en: {
      subject: 'An account was deleted at {{ company_name|default:"your company" }}',
      preheader: "Invite the person again if the account should be restored.",
    },
    fr: {
      subject: 'Un compte {{ company_name|default:"de votre entreprise" }} a été supprimé',
      preheader: "Invitez de nouveau la personne si le compte doit être rétabli.",
    },
  },
  "identity.user.invitation_revoked": {
    en: {
      subject: 'Your invitation to {{ company_name|default:"the team" }} was withdrawn',
      preheader: "The earlier email no longer works, so ask the person who invited you for a new one.",
    },
    fr: {
      subject: 'Votre invitation à rejoindre {{ company_name|default:"l’équipe" }} a été retirée',
      preheader: "L’e-mail précédent n’est plus valable, demandez-en un autre à qui vous a invité.",
    },
  },
  "identity.user.invited": {
    en: {
      subject: '{{ inviter_name|default:"A colleague" }} invited you to {{ company_name|default:"the team" }}',
      preheader: 'Open the invitation to join {{ company_name|default:"the team" }} with this address.',
    },
    fr: {
      subject: '{{ inviter_name|default:"Quelqu’un" }} vous invite à rejoindre {{ company_name|default:"l’équipe" }}',
      preheader: 'Ouvrez l’invitation pour rejoindre {{ company_name|default:"l’équipe" }} avec cette adresse.',
    },
  },
  "identity.user.updated": {
    en: {
      subject: 'Profile details changed at {{ company_name|default:"your company" }}',
      preheader: "Look at the profile if you did not expect this change.",
    },
    fr: {
      subject: 'Modification d’un profil chez {{ company_name|default:"vous" }}',
      preheader: "Consultez le profil si cette modification vous surprend.",
    },
  },
  "storage.bucket.created": {
    en: {
      subject: 'File storage is ready for {{ company_name|default:"your company" }}',
      preheader: "You and your colleagues can add files from now on.",
    },
    fr: {
      subject: 'L’espace de fichiers est prêt pour {{ company_name|default:"votre entreprise" }}',
      preheader: "Vous et vos collègues pouvez y ajouter des fichiers dès maintenant.",
    },
  },
  "storage.object.deleted": {
    en: {
      subject: '{{ path|default:"A file" }} was deleted',
      preheader: "Add the file again if it was deleted by mistake.",
    },
    fr: {
      subject: '{{ path|default:"Un fichier" }} a été supprimé',
      preheader: "Ajoutez de nouveau le fichier s’il a été supprimé par erreur.",
    },
  },
  "storage.quota.threshold_reached": {
    en: {
      subject: 'File storage of {{ company_name|default:"your company" }} is {{ threshold|default:"80" }}% full',
      preheader: "Delete files, or raise the quota, so that people can go on adding files.",
    },
    fr: {
      subject:
        '{{ company_name|default:"Votre entreprise" }}\u00a0: espace de fichiers plein à {{ threshold|default:"80" }}\u00a0%',
      preheader: "Supprimez des fichiers ou augmentez le quota pour que chacun puisse en ajouter.",
    },
  },
  "storage.object.uploaded": {
    en: {
      subject: '{{ path|default:"A file" }} was added',
      preheader: "You can read or share the file in the file storage.",
    },
    fr: {
      subject: '{{ path|default:"Un fichier" }} a été ajouté',
      preheader: "Vous pouvez le lire ou le partager dans l’espace de fichiers.",
    },
  },
} as const satisfies Record<string, Suggested>;
