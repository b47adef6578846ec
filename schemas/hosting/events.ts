import { type PayloadField, ruleFailing, ruleFailingFields, staffOnly, webhook } from "../event-entry";

/** Every event type of hosting, in display order. */
export const hostingEvents = [
  webhook("hosting.app.created", "App created", "An app was created."),
  webhook("hosting.app.deleted", "App deleted", "An app was deleted."),
  webhook("hosting.deployment.created", "Deployment created", "A deployment of an app was created."),
  webhook("hosting.deployment.succeeded", "Deployment succeeded", "A deployment is live."),
  webhook("hosting.deployment.failed", "Deployment failed", "The files of a deployment were rejected."),
  webhook("hosting.deployment.rolled_back", "Deployment rolled back", "An earlier deployment is live again."),
  webhook("hosting.access.changed", "Hosting access changed", "Staff approved or denied hosting for the company."),
  webhook("hosting.domain.verified", "Domain verified", "A custom domain of an app is proven and served."),
  webhook("hosting.action_rule.failing", ...ruleFailing),
  staffOnly("hosting.scheduled_job.succeeded", "Job succeeded", "A run of a scheduled job has succeeded."),
  staffOnly("hosting.scheduled_job.failed", "Job failed", "A run of a scheduled job has failed."),
];

/** Events that are also sent to the email service, which applies the email rules of the company. */
export const mailedEvents: readonly HostingEventType[] = [
  "hosting.app.created",
  "hosting.app.deleted",
  "hosting.deployment.created",
  "hosting.deployment.succeeded",
  "hosting.deployment.failed",
];

type HostingEventType = (typeof hostingEvents)[number]["type"];

const companyField: PayloadField = { name: "company_id", description: "Company of the app", example: 10 };

const appFields: readonly PayloadField[] = [
  { name: "app_id", description: "Id of the app", example: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11" },
  { name: "name", description: "Name of the app in its company", example: "field-notes" },
  { name: "slug", description: "Subdomain of the app", example: "k7m2p9q4r8st" },
  { name: "display_name", description: "Display name of the app", example: "Field Notes" },
  companyField,
];

const deploymentFields = (status: string): readonly PayloadField[] => [
  ...appFields,
  { name: "deployment_id", description: "Id of the deployment", example: "0b1d6f0c-52a5-4f04-8c11-2f7f4ce1f0a7" },
  { name: "app_version", description: "Version of the app", example: "1.4.0" },
  { name: "shell_version", description: "Version of the shell that the app targets, or null", example: "2.0.1" },
  { name: "status", description: "State of the deployment", example: status },
  { name: "url", description: "Address of the app", example: "https://k7m2p9q4r8st.apps.example.com" },
  {
    name: "file_count",
    description: "Number of files; null before an archive was imported",
    example: 214,
  },
  {
    name: "bytes_new",
    description: "Bytes of the files that the company did not have; null before an archive was imported",
    example: 41_984,
  },
];

const previousDeployment: PayloadField = {
  name: "previous_deployment_id",
  description: "Id of the deployment that was live before, or null",
  example: "5f7f5a54-2f9e-4c5c-9d0b-6a1f2c3d4e5f",
};

const fields: Readonly<Record<string, readonly PayloadField[]>> = {
  "hosting.action_rule.failing": ruleFailingFields("hosting"),
  "hosting.app.created": appFields,
  "hosting.app.deleted": appFields,
  "hosting.deployment.created": deploymentFields("draft"),
  "hosting.deployment.succeeded": [...deploymentFields("active"), previousDeployment],
  "hosting.deployment.failed": [
    ...deploymentFields("failed"),
    {
      name: "error",
      description: "Reason: `artifact_extract_failed` or `artifact_missing`",
      example: "artifact_extract_failed",
    },
  ],
  "hosting.deployment.rolled_back": [...deploymentFields("active"), previousDeployment],
  "hosting.domain.verified": [
    ...appFields,
    { name: "domain_id", description: "Id of the domain", example: "0199c2f4-7d2a-7b13-9c02-6f1e2d3c4b5a" },
    { name: "hostname", description: "Host name that serves the app", example: "notes.example.com" },
    { name: "url", description: "Address of the app at that host name", example: "https://notes.example.com" },
  ],
  "hosting.access.changed": [
    { ...companyField, description: "The company" },
    { name: "status", description: "The decision", example: "approved" },
    { name: "previous_status", description: "The previous decision", example: "pending" },
  ],
};

/** Returns the data fields of an event that webhooks can subscribe to, or an empty list for other events. */
export function hostingEventFields(type: string): readonly PayloadField[] {
  return fields[type] ?? [];
}
