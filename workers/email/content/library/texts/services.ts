import { type EventTexts, REASON_TEXTS } from "./texts";

/** Mails about apps, files and webhooks. */
export const SERVICE_TEXTS: Readonly<Record<string, EventTexts>> = {
  "email.lane.paused": {
    state: { tone: "warning", en: "Paused", fr: "Envois suspendus" },
    en: {
      lead: [
        "Too many recipients reported the company’s bulk mail as spam within seven days, so broadcasts are on hold. No waiting mail is lost.",
        "Before you ask support to resume them, write only to people who asked for your mail, and remove old addresses.",
      ],
      facts: { Complaints: "{{ complaints }}", "Sent in seven days": "{{ sent_mails }}" },
      button: "View bulk mail",
      reason: "You get this email because you manage this company.",
    },
    fr: {
      lead: [
        "En sept jours, trop de destinataires ont signalé les envois groupés de l’entreprise comme indésirables\u00a0: ils sont donc suspendus. Aucun e-mail en attente n’est perdu.",
        "Avant de demander à l’assistance de les reprendre, n’écrivez qu’aux personnes qui l’ont demandé et retirez les adresses anciennes.",
      ],
      facts: { Signalements: "{{ complaints }}", "Envoyés en sept jours": "{{ sent_mails }}" },
      button: "Voir les envois groupés",
      reason: "Vous recevez cet e-mail parce que vous gérez cette entreprise.",
    },
  },
  "hosting.app.created": {
    state: { tone: "success", en: "Ready", fr: "Prête" },
    en: {
      lead: ["The app is ready for its first version."],
      button: "Deploy a version",
      reason: REASON_TEXTS.apps.en,
    },
    fr: {
      lead: ["L’application est prête à recevoir sa première version."],
      button: "Déployer une version",
      reason: REASON_TEXTS.apps.fr,
    },
  },
  "hosting.app.deleted": {
    en: {
      lead: ["The app no longer exists and its address no longer responds."],
      button: "View the event",
      reason: REASON_TEXTS.apps.en,
    },
    fr: {
      lead: ["L’application n’existe plus et son adresse ne répond plus."],
      button: "Voir l’événement",
      reason: REASON_TEXTS.apps.fr,
    },
  },
  "hosting.deployment.created": {
    en: {
      lead: ["A new version is being deployed. The current version stays live until the new one is ready."],
      facts: { Version: "{{ app_version }}" },
      button: "Follow the deployment",
      reason: REASON_TEXTS.apps.en,
    },
    fr: {
      lead: [
        "Une nouvelle version est en cours de déploiement. La version actuelle reste en ligne jusqu’à ce que la nouvelle soit prête.",
      ],
      facts: { Version: "{{ app_version }}" },
      button: "Suivre le déploiement",
      reason: REASON_TEXTS.apps.fr,
    },
  },
  "hosting.deployment.failed": {
    state: { tone: "failure", en: "Failed", fr: "Échec" },
    en: {
      lead: ["The new version did not go live. Nothing changes for visitors.", "{{ system.words.error }}"],
      facts: { Version: "{{ app_version }}", "Error code": "`{{ error }}`" },
      button: "View the deployment",
      reason: REASON_TEXTS.apps.en,
    },
    fr: {
      lead: [
        "La nouvelle version n’a pas été mise en ligne. Rien ne change pour les visiteurs.",
        "{{ system.words.error }}",
      ],
      facts: { Version: "{{ app_version }}", "Code d’erreur": "`{{ error }}`" },
      button: "Voir le déploiement",
      reason: REASON_TEXTS.apps.fr,
    },
  },
  "hosting.deployment.succeeded": {
    state: { tone: "success", en: "Live", fr: "En ligne" },
    en: {
      lead: ["Everyone who opens the app gets the new version from now on."],
      facts: { Version: "{{ app_version }}" },
      button: "Open the app",
      reason: REASON_TEXTS.apps.en,
    },
    fr: {
      lead: ["Toute personne qui ouvre l’application obtient désormais la nouvelle version."],
      facts: { Version: "{{ app_version }}" },
      button: "Ouvrir l’application",
      reason: REASON_TEXTS.apps.fr,
    },
  },
  "identity.action_rule.failing": {
    state: { tone: "warning", en: "Failing", fr: "Envois en échec" },
    en: {
      lead: [
        "Its receiver rejects events or does not respond. The webhook stays enabled: waiting events are retried, and given up after their last attempt.",
        "Correct the receiver or the address of the webhook. Then send the events again that were given up.",
      ],
      facts: {
        Receiver: "`{{ host }}`",
        Event: "`{{ rule_event_type }}`",
        "Failing since": "{{ failing_since }}",
        "Last response": "{{ system.words.last_status }}",
        "Failed attempts": "{{ attempts }}",
        "Waiting events": "{{ waiting }}",
      },
      button: "Check the webhook",
      reason: "You get this email because you manage the webhooks of this company.",
    },
    fr: {
      lead: [
        "Son destinataire refuse les événements ou ne répond pas. Le webhook reste actif\u00a0: les événements en attente sont renvoyés, puis abandonnés après le dernier essai.",
        "Corrigez le destinataire ou l’adresse du webhook, puis renvoyez les événements abandonnés.",
      ],
      facts: {
        Destinataire: "`{{ host }}`",
        Événement: "`{{ rule_event_type }}`",
        "En échec depuis": "{{ failing_since }}",
        "Dernière réponse": "{{ system.words.last_status }}",
        "Essais échoués": "{{ attempts }}",
        "Événements en attente": "{{ waiting }}",
      },
      button: "Vérifier le webhook",
      reason: "Vous recevez cet e-mail parce que vous gérez les webhooks de cette entreprise.",
    },
  },
  "storage.bucket.created": {
    state: { tone: "success", en: "Ready", fr: "Prêt" },
    en: {
      lead: ["You and your colleagues can add files from now on."],
      facts: { Storage: "{{ system.words.bucket_name }}" },
      button: "Open the storage",
      reason: REASON_TEXTS.files.en,
    },
    fr: {
      lead: ["Vous et vos collègues pouvez y ajouter des fichiers dès maintenant."],
      facts: { Espace: "{{ system.words.bucket_name }}" },
      button: "Ouvrir l’espace",
      reason: REASON_TEXTS.files.fr,
    },
  },
  "storage.object.deleted": {
    en: {
      lead: ["The file is no longer in the storage. Add it again if it was deleted by mistake."],
      facts: { Storage: "{{ system.words.bucket_name }}" },
      button: "Open the storage",
      reason: REASON_TEXTS.files.en,
    },
    fr: {
      lead: ["Le fichier n’est plus dans l’espace. Ajoutez-le de nouveau s’il a été supprimé par erreur."],
      facts: { Espace: "{{ system.words.bucket_name }}" },
      button: "Ouvrir l’espace",
      reason: REASON_TEXTS.files.fr,
    },
  },
  "storage.quota.threshold_reached": {
    state: { tone: "warning", en: "Storage quota", fr: "Quota de stockage" },
    en: {
      lead: ["{{ system.words.threshold }}"],
      facts: { "In use": "{{ system.words.used_bytes }}", Quota: "{{ system.words.max_bytes }}" },
      button: "View the storage",
      reason: "You get this email because you manage this company.",
    },
    fr: {
      lead: ["{{ system.words.threshold }}"],
      facts: { Utilisé: "{{ system.words.used_bytes }}", Quota: "{{ system.words.max_bytes }}" },
      button: "Voir l’utilisation",
      reason: "Vous recevez cet e-mail parce que vous gérez cette entreprise.",
    },
  },
  "storage.object.uploaded": {
    en: {
      lead: ["It is in the file storage, where you can read or share it."],
      facts: { Type: "{{ system.words.mime_type }}", Storage: "{{ system.words.bucket_name }}" },
      button: "View the file",
      reason: REASON_TEXTS.files.en,
    },
    fr: {
      lead: ["Il se trouve dans l’espace de fichiers, où vous pouvez le lire ou le partager."],
      facts: {
        Type: "{{ system.words.mime_type }}",
        Espace: "{{ system.words.bucket_name }}",
      },
      button: "Voir le fichier",
      reason: REASON_TEXTS.files.fr,
    },
  },
};
