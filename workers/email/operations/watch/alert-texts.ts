import type { AlertCode } from "../../../../schemas/email/alerts";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";

type Noticed = { service: string; code: string; job: string };

/** The name of each condition, in which `{job}` is the job. */
const NAMES: Readonly<Record<AlertCode, Record<EmailLanguage, string>>> = {
  unreachable: { en: "The service does not respond", fr: "Le service ne répond pas" },
  scheduler_stopped: { en: "The scheduled jobs do not run", fr: "Les tâches planifiées ne s’exécutent plus" },
  job_failing: {
    en: "The job {job} fails or is overdue",
    fr: "La tâche {job} échoue ou est en retard",
  },
  webhooks_failing: { en: "Webhooks keep failing", fr: "Des webhooks n’aboutissent plus" },
  deliveries_dead: {
    en: "Webhook deliveries were given up",
    fr: "Des envois de webhooks ont été abandonnés",
  },
  stale_events: {
    en: "Events are kept longer than their retention",
    fr: "Des événements sont conservés au-delà de leur durée",
  },
  sign_ins_refused: { en: "Many sign-ins are rejected", fr: "De nombreuses connexions sont refusées" },
  join_requests_pending: { en: "Join requests are pending", fr: "Des demandes d’adhésion sont en attente" },
  mails_refused: { en: "Mails to users are rejected", fr: "Des e-mails aux utilisateurs sont refusés" },
  invitation_mails_failed: { en: "Invitation mails fail", fr: "Des e-mails d’invitation échouent" },
  directory_changes_rejected: {
    en: "Changes of directories are rejected",
    fr: "Des modifications d’annuaires sont refusées",
  },
  lanes_paused: { en: "The sending of mail is paused", fr: "Des envois d’e-mails sont suspendus" },
  messages_waiting: { en: "Messages are waiting to be sent", fr: "Des messages attendent d’être envoyés" },
  messages_failed: { en: "Messages failed or expired", fr: "Des messages ont échoué ou expiré" },
  broadcasts_failed: { en: "Broadcasts failed", fr: "Des envois groupés ont échoué" },
  company_quotas_nearly_full: {
    en: "The storage of companies is nearly full",
    fr: "L’espace de stockage d’entreprises est presque plein",
  },
  access_requests_pending: {
    en: "Companies wait for access to hosting",
    fr: "Des entreprises attendent l’accès à l’hébergement",
  },
  deployments_failed: { en: "Deployments failed", fr: "Des déploiements ont échoué" },
  previews_expiring: { en: "Previews expire soon", fr: "Des aperçus expirent bientôt" },
  domains_failed: { en: "Custom domains failed", fr: "Des domaines personnalisés sont en échec" },
};

/** Returns the name of a condition. The code stands for a condition that this release does not know. */
export function nameOfAlert({ code, job }: Noticed, language: EmailLanguage): string {
  const names: Readonly<Record<string, Record<EmailLanguage, string>>> = NAMES;
  return (names[code]?.[language] ?? code).replace("{job}", job);
}

/** Returns the only condition with its service, or the number of conditions. */
export function summaryOf(noticed: readonly Noticed[], language: EmailLanguage): string {
  const [only] = noticed;
  if (only !== undefined && noticed.length === 1) return `${nameOfAlert(only, language)} (${only.service})`;
  return language === "fr" ? `${noticed.length} anomalies` : `${noticed.length} problems`;
}
