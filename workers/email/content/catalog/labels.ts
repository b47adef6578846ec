import type { CatalogEvent, CatalogEventType, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";

type Labels = Readonly<Record<EmailLanguage, string>>;

/** The French labels of the platform's events. Their English labels are in the catalog. */
const FRENCH_EVENT_LABELS: Readonly<Record<CatalogEventType, string>> = {
  "email.lane.paused": "Envois groupés suspendus",
  "hosting.app.created": "Application hébergée créée",
  "hosting.app.deleted": "Application hébergée supprimée",
  "hosting.deployment.created": "Déploiement créé",
  "hosting.deployment.failed": "Échec du déploiement",
  "hosting.deployment.succeeded": "Déploiement réussi",
  "identity.action_rule.failing": "Webhook en échec",
  "identity.auth.login.new_device_detected": "Connexion depuis un nouvel appareil",
  "identity.auth.magic_link.requested": "Lien de connexion demandé",
  "identity.group.created": "Groupe créé",
  "identity.group.deleted": "Groupe supprimé",
  "identity.group.membership_changed": "Membres du groupe modifiés",
  "identity.group.updated": "Groupe modifié",
  "identity.membership.enabled": "Accès activé",
  "identity.membership.requested": "Accès demandé",
  "identity.scim.provisioning_conflict": "Conflit d’annuaire",
  "identity.scim.token.created": "Jeton SCIM créé",
  "identity.scim.token.revoked": "Jeton SCIM révoqué",
  "identity.scim.user.deprovisioned": "Accès retiré par l’annuaire",
  "identity.scim.user.provisioned": "Accès accordé par l’annuaire",
  "identity.user.created": "Compte créé",
  "identity.user.deleted": "Compte supprimé",
  "identity.user.invitation_revoked": "Invitation révoquée",
  "identity.user.invited": "Utilisateur invité",
  "identity.user.updated": "Utilisateur modifié",
  "storage.bucket.created": "Espace de stockage prêt",
  "storage.object.deleted": "Fichier supprimé",
  "storage.object.uploaded": "Fichier ajouté",
  "storage.quota.threshold_reached": "Espace de fichiers presque plein",
};

/** The labels of the variables of the platform's events, and of the variables that every own event has. */
const VARIABLE_LABELS: Readonly<Record<string, Labels>> = {
  complaints: { en: "Complaints", fr: "Signalements" },
  sent_mails: { en: "Sent mails", fr: "E-mails envoyés" },
  action_url: { en: "Main link", fr: "Lien principal" },
  actor_kind: { en: "Kind of author", fr: "Type d’auteur" },
  actor_name: { en: "Author", fr: "Auteur" },
  app_url: { en: "Sign-in page", fr: "Page de connexion" },
  app_version: { en: "Version", fr: "Version" },
  attempts: { en: "Attempts", fr: "Essais" },
  bucket_name: { en: "Storage", fr: "Espace" },
  change: { en: "Change", fr: "Modification" },
  changed_fields: { en: "Changed fields", fr: "Champs modifiés" },
  company_name: { en: "Company", fr: "Entreprise" },
  country_code: { en: "Country", fr: "Pays" },
  country: { en: "Country", fr: "Pays" },
  device: { en: "Device", fr: "Appareil" },
  display_name: { en: "Name", fr: "Nom" },
  error: { en: "Error code", fr: "Code d’erreur" },
  failing_since: { en: "Failing since", fr: "En échec depuis" },
  host: { en: "Receiver", fr: "Destinataire" },
  invitation_url: { en: "Invitation link", fr: "Lien d’invitation" },
  inviter_name: { en: "Invited by", fr: "Invité par" },
  last_status: { en: "Last response", fr: "Dernière réponse" },
  link_lifetime: { en: "Lifetime of the link", fr: "Durée de validité du lien" },
  magic_link_url: { en: "Sign-in link", fr: "Lien de connexion" },
  max_bytes: { en: "Quota", fr: "Quota" },
  member_names: { en: "Members", fr: "Membres" },
  mime_type: { en: "File type", fr: "Type de fichier" },
  name: { en: "App id", fr: "Identifiant de l’application" },
  occurred_at: { en: "Time", fr: "Date" },
  operation: { en: "Request of the directory", fr: "Demande de l’annuaire" },
  path: { en: "File", fr: "Fichier" },
  recipient_email: { en: "Email address of the recipient", fr: "Adresse e-mail du destinataire" },
  recipient_name: { en: "Name of the recipient", fr: "Nom du destinataire" },
  requested_at: { en: "Time of the request", fr: "Date de la demande" },
  requester_email: { en: "Requested by", fr: "Demandé par" },
  review_url: { en: "Link to the request", fr: "Lien vers la demande" },
  rule_event_type: { en: "Event", fr: "Événement" },
  rule_name: { en: "Webhook", fr: "Webhook" },
  session_end_url: { en: "Link that ends the session", fr: "Lien qui met fin à la session" },
  sign_in_code: { en: "Sign-in code", fr: "Code de connexion" },
  signed_in_at: { en: "Time of the sign-in", fr: "Date de la connexion" },
  slug: { en: "Subdomain", fr: "Sous-domaine" },
  source: { en: "Origin", fr: "Origine" },
  thread_id: { en: "Id of the conversation", fr: "Identifiant de la conversation" },
  threshold: { en: "Percent in use", fr: "Pourcentage utilisé" },
  token_name: { en: "Token", fr: "Jeton" },
  token_prefix: { en: "Beginning of the token", fr: "Début du jeton" },
  used_bytes: { en: "In use", fr: "Utilisé" },
  waiting: { en: "Waiting events", fr: "Événements en attente" },
};

/** Returns the labels of an event in the languages of mails. */
export const eventLabels = ({ own, event_type, label }: CatalogEvent): Labels =>
  own?.labels ?? { en: label, fr: FRENCH_EVENT_LABELS[event_type as CatalogEventType] };

/** Returns the labels of a variable: those that a company defined, or those of the platform. */
export const variableLabels = ({ token, labels }: CatalogVariable): Labels =>
  labels ?? VARIABLE_LABELS[token] ?? { en: token, fr: token };
