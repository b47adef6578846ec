import { type EmailLanguage, SUGGESTED_TEXTS, type Suggested } from "./catalog-texts";

export type LaneClass = "auth" | "transactional";
/** The event types of the platform. Companies add their own. */
export type CatalogEventType = keyof typeof SUGGESTED_TEXTS;

/** The types that a variable of a company's own event may have. Each value is checked and formatted when mail is accepted. */
export const VALUE_TYPES = ["text", "url", "number", "date", "money", "boolean", "list"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** Maximum items of a list variable. */
export const MAX_LIST_ITEMS = 100;

/** A JSON value that shows how to fill a variable. */
export type SampleValue = string | number | boolean | { amount: string | number; currency: string };

/** A variable of an event. If `allowed_hosts_setting` is set, `example` is a path on the first allowed host. */
export interface CatalogVariable {
  token: string;
  type: "string" | "url";
  /** Absent for variables of the platform's events: `text`, or `url` when `type` is `url`. */
  value_type?: ValueType;
  required: boolean;
  /** The text that examples show. For a typed variable of a company's own event, `sample` is the JSON value. */
  example: string;
  /** The labels that a company gave the variable, which its default mail shows. Absent for variables of the platform. */
  labels?: Readonly<Record<EmailLanguage, string>>;
  /** The variables of each item of a list. A list contains no list. */
  fields?: readonly CatalogVariable[];
  /** The example in the form in which requests send it: items of a list, an amount with a currency. */
  sample?: SampleValue | readonly Readonly<Record<string, SampleValue>>[];
  sensitive?: true;
  allowed_hosts_setting?: "EMAIL_AUTH_LINK_HOSTS";
  /** An earlier name of the main link, for templates that use it. Default mails show the main link only. */
  is_earlier_name?: true;
}

/**
 * An event that can trigger mail: one of the platform, or one of a company's own. `default_ttl_seconds` 0 means that the mail
 * does not expire.
 */
export interface CatalogEvent {
  event_type: string;
  service: string;
  label: string;
  lane_class: LaneClass;
  default_enabled: boolean;
  default_ttl_seconds: number;
  variables: readonly CatalogVariable[];
  link_token: string;
  /** the platform sends the mail when the company has no usable provider; true for all mail in the auth lane */
  platform_sender: boolean;
  /** the event has its own limit per recipient and does not count towards the recipient limit of its lane */
  has_separate_limit: boolean;
  /** recipients cannot unsubscribe from the mail, so it has no unsubscribe link */
  is_necessary?: true;
  default_template: string;
  suggested: Suggested;
  /** The rest of a company's own event. Absent for events of the platform. */
  own?: OwnEventTexts;
}

/** The labels and texts of a company's own event, by language. `default_language` applies when a request has no language. */
export interface OwnEventTexts {
  labels: Readonly<Record<EmailLanguage, string>>;
  default_language: EmailLanguage;
  /**
   * The text of the default mail, "" for none. `lead` has paragraphs separated by empty lines. `button` is the label of the main
   * link. `footnote` is the advice below it.
   */
  texts: Readonly<Record<EmailLanguage, { lead: string; button: string; footnote: string }>>;
}

const companyName = (required: boolean): CatalogVariable => ({
  token: "company_name",
  type: "string",
  required,
  example: "Aster Labs",
});

const text = (token: string, example: string): CatalogVariable => ({ token, type: "string", required: false, example });

const url = (token: string, example: string): CatalogVariable => ({ token, type: "url", required: false, example });

const date = (token: string, sample: string): CatalogVariable => ({
  ...text(token, "22 November 2026 at 16:05\u00a0UTC"),
  value_type: "date",
  sample,
});

const count = (token: string, sample: number): CatalogVariable => ({
  ...text(token, String(sample)),
  value_type: "number",
  sample,
});

/** The variable with the main link of a notice: the page where the recipient can look at what happened, or act. */
const ACTION_URL = "action_url";

/** The page of the administration that the example of a main link opens. */
const consolePage = (path: string): CatalogVariable => url(ACTION_URL, `https://app.example.com/admin${path}`);

/** The token of the variable that identifies the thing that a notice is about, such as the id of a group. No mail shows it. */
export const THREAD_ID = "thread_id";
const thread = text(THREAD_ID, "019a1f3c-6a35-4d0f-8a55-0f3f6b0a7c11");

/** When the event happened, shown in the time zone of the recipient. */
const occurredAt = date("occurred_at", "2026-11-22T16:05:00Z");

/** Who caused the event: a name or an address, and whether it was a user, the directory or the platform. */
const actor = [text("actor_name", "Noor Haddad"), text("actor_kind", "session")];

const authLink = (token: string, examplePath: string): CatalogVariable => ({
  token,
  type: "url",
  required: true,
  example: examplePath,
  sensitive: true,
  allowed_hosts_setting: "EMAIL_AUTH_LINK_HOSTS",
});

/** An addition to the contract: identity passes the lifetime of a link as text in the language of the mail. */
const linkLifetime = (example: string): CatalogVariable => text("link_lifetime", example);

// Additions to the contract: the name for the greeting, and the place and time of an action.
const person = text("recipient_name", "Mina");
const device = text("device", "Chrome on Windows");
const country = text("country", "France");
const app = text("display_name", "Field Notes");
const group = text("display_name", "Engineering");
const version = text("app_version", "1.4.0");
const recipient = text("recipient_email", "mina@example.com");
const bucket = text("bucket_name", "company");
const path = text("path", "reports/plan.pdf");
const groupPage = consolePage("/groups/2f9d0e0c-6a35-4d0f-8a55-0f3f6b0a7c11");
const tokenPage = consolePage("/directory?token=9a51f3c2-2f0b-4c5e-8a55-0d7f6a1f3c21");
const bucketPage = consolePage("/storage/company");
const deploymentPage = "/apps/7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11/deployments/0b1d6f0c-52a5-4f04-8c11-2f7f4ce1f0a7";
const accountPage = url(ACTION_URL, "https://app.example.com/__settings/account");
const loginPage = url(ACTION_URL, "https://app.example.com/login");
const earlier = (token: string, example: string): CatalogVariable => ({
  ...url(token, example),
  is_earlier_name: true,
});
const tokenName = text("token_name", "Directory sync");
const tokenPrefix = text("token_prefix", "pst_AbCdEfGh");

function authEvent(
  eventType: CatalogEventType,
  label: string,
  ttlSeconds: number,
  template: string,
  variables: CatalogVariable[],
  { hasSeparateLimit = false }: { hasSeparateLimit?: boolean } = {},
): CatalogEvent {
  return {
    event_type: eventType,
    service: "identity",
    label,
    lane_class: "auth",
    default_enabled: true,
    default_ttl_seconds: ttlSeconds,
    variables: [companyName(true), ...variables],
    link_token: variables.find((variable) => variable.allowed_hosts_setting !== undefined)?.token ?? "",
    platform_sender: true,
    has_separate_limit: hasSeparateLimit,
    default_template: template,
    suggested: SUGGESTED_TEXTS[eventType],
  };
}

interface PlainOptions {
  enabled?: boolean;
  nameRequired?: boolean;
  /** The platform may send the mail. Mail about access or problems must not depend on the settings of the company. */
  platformSender?: boolean;
  /** Whether somebody causes the event. False for conditions that the platform detects. */
  hasActor?: boolean;
  /** Whether several notices can be about the same thing, so that mail clients show them as one conversation. */
  isRepeated?: boolean;
}

function plainEvent(
  eventType: CatalogEventType,
  label: string,
  variables: CatalogVariable[],
  {
    enabled = false,
    nameRequired = false,
    platformSender = false,
    hasActor = true,
    isRepeated = false,
  }: PlainOptions = {},
): CatalogEvent {
  return {
    event_type: eventType,
    service: eventType.slice(0, eventType.indexOf(".")),
    label,
    lane_class: "transactional",
    default_enabled: enabled,
    default_ttl_seconds: 0,
    variables: [
      companyName(nameRequired),
      ...variables,
      ...(hasActor ? actor : []),
      occurredAt,
      ...(isRepeated ? [thread] : []),
    ],
    link_token: variables.some(({ token }) => token === ACTION_URL) ? ACTION_URL : "",
    platform_sender: platformSender,
    has_separate_limit: false,
    default_template: "barebone.text-only",
    suggested: SUGGESTED_TEXTS[eventType],
  };
}

/** All events of the catalog, ordered by `event_type`. */
export const CATALOG_EVENTS: readonly CatalogEvent[] = [
  plainEvent(
    "email.lane.paused",
    "Bulk mail paused",
    [count("complaints", 12), count("sent_mails", 3400), consolePage("/lanes/bulk")],
    { enabled: true, platformSender: true, hasActor: false },
  ),
  plainEvent("hosting.app.created", "Hosted app created", [
    app,
    text("name", "field-notes"),
    text("slug", "k7m2p9q4r8st"),
    consolePage("/apps/7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11"),
  ]),
  plainEvent("hosting.app.deleted", "Hosted app deleted", [
    app,
    text("name", "field-notes"),
    consolePage("/events/019a1f3c-6f0a-7a35-9d2c-1f2e3d4c5b6a"),
  ]),
  plainEvent("hosting.deployment.created", "Deployment created", [app, version, consolePage(deploymentPage)]),
  plainEvent(
    "hosting.deployment.failed",
    "Deployment failed",
    [app, version, text("error", "artifact_extract_failed"), consolePage(deploymentPage)],
    { enabled: true, platformSender: true },
  ),
  plainEvent("hosting.deployment.succeeded", "Deployment succeeded", [
    app,
    version,
    text("slug", "k7m2p9q4r8st"),
    url(ACTION_URL, "https://k7m2p9q4r8st.apps.example.com/"),
  ]),
  plainEvent(
    "identity.action_rule.failing",
    "Webhook failing",
    [
      text("rule_name", "Deploy bot"),
      text("rule_event_type", "hosting.app.created"),
      text("host", "hooks.example.com"),
      date("failing_since", "2026-11-21T15:20:00Z"),
      count("attempts", 9),
      count("waiting", 4),
      text("last_status", "HTTP 503"),
      consolePage("/webhooks/hosting/12"),
    ],
    { enabled: true, platformSender: true, hasActor: false, isRepeated: true },
  ),
  authEvent(
    "identity.auth.login.new_device_detected",
    "Signed in on a new device",
    300,
    "barebone.activation",
    [
      authLink("session_end_url", "/api/v1/session-end?token=example"),
      text("signed_in_at", "22 November 2026 at 16:05\u00a0UTC"),
      device,
      country,
      person,
    ],
    { hasSeparateLimit: true },
  ),
  authEvent("identity.auth.magic_link.requested", "Magic link requested", 120, "barebone.activation", [
    authLink("magic_link_url", "/api/v1/magic-link/verify?token=example&company_id=1"),
    person,
    { ...text("sign_in_code", "BCDF-2345"), sensitive: true },
    linkLifetime("30 minutes"),
    text("requested_at", "22 November 2026 at 16:05\u00a0UTC"),
    device,
    country,
  ]),
  plainEvent("identity.group.created", "Group created", [group, text("source", "manual"), groupPage], {
    isRepeated: true,
  }),
  plainEvent(
    "identity.group.deleted",
    "Group deleted",
    [group, consolePage("/events/019a1f3c-6f0a-7a35-9d2c-1f2e3d4c5b6a")],
    { isRepeated: true },
  ),
  plainEvent(
    "identity.group.membership_changed",
    "Group membership changed",
    [group, text("change", "members_added"), text("member_names", "Mina Roth, Leo Blanc"), groupPage],
    { isRepeated: true },
  ),
  plainEvent("identity.group.updated", "Group updated", [group, text("changed_fields", "display_name"), groupPage], {
    isRepeated: true,
  }),
  plainEvent(
    "identity.membership.enabled",
    "Access enabled",
    [
      recipient,
      url(ACTION_URL, "https://app.example.com/login"),
      earlier("app_url", "https://app.example.com/login"),
      person,
    ],
    {
      enabled: true,
      platformSender: true,
    },
  ),
  plainEvent(
    "identity.membership.requested",
    "Access requested",
    [
      recipient,
      text("requester_email", "leo@example.com"),
      consolePage("/people?access_state=pending"),
      earlier("review_url", "https://app.example.com/admin/people?access_state=pending"),
    ],
    { enabled: true, platformSender: true, hasActor: false },
  ),
  plainEvent(
    "identity.scim.provisioning_conflict",
    "Directory conflict",
    [group, text("operation", "create"), consolePage("/directory")],
    {
      enabled: true,
    },
  ),
  plainEvent("identity.scim.token.created", "SCIM token created", [
    tokenName,
    tokenPrefix,
    text("country_code", "FR"),
    tokenPage,
  ]),
  plainEvent("identity.scim.token.revoked", "SCIM token revoked", [
    tokenName,
    tokenPrefix,
    text("country_code", "FR"),
    tokenPage,
  ]),
  plainEvent("identity.scim.user.deprovisioned", "Access removed by directory", [recipient]),
  plainEvent("identity.scim.user.provisioned", "Access given by directory", [
    recipient,
    text("source", "scim"),
    loginPage,
  ]),
  plainEvent("identity.user.created", "User account created", [recipient, text("source", "magic_link"), loginPage]),
  plainEvent("identity.user.deleted", "User account deleted", [recipient]),
  plainEvent("identity.user.invitation_revoked", "Invitation revoked", [recipient], {
    enabled: true,
    nameRequired: true,
  }),
  authEvent("identity.user.invited", "User invited", 300, "barebone.welcome", [
    text("inviter_name", "Noor"),
    authLink("invitation_url", "/api/v1/invitations/open?token=example"),
    recipient,
    linkLifetime("14 days"),
  ]),
  plainEvent("identity.user.updated", "User updated", [recipient, text("changed_fields", "display_name"), accountPage]),
  plainEvent("storage.bucket.created", "Storage ready", [bucket, bucketPage]),
  plainEvent("storage.object.deleted", "Object deleted", [bucket, path, bucketPage]),
  plainEvent("storage.object.uploaded", "Object uploaded", [
    bucket,
    path,
    text("mime_type", "application/pdf"),
    consolePage("/storage/company/7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11"),
  ]),
  plainEvent(
    "storage.quota.threshold_reached",
    "Storage almost full",
    [
      text("threshold", "80"),
      text("used_bytes", "8589934592"),
      text("max_bytes", "10737418240"),
      consolePage("/quotas"),
    ],
    { enabled: true, platformSender: true, hasActor: false, isRepeated: true },
  ),
];

const eventsByType: ReadonlyMap<string, CatalogEvent> = new Map(
  CATALOG_EVENTS.map((event) => [event.event_type, event]),
);

/** The event types that have their own limit per recipient. */
export const SEPARATE_LIMIT_TYPES: readonly string[] = CATALOG_EVENTS.flatMap((event) =>
  event.has_separate_limit ? [event.event_type] : [],
);

/** Returns the catalog entry of an event type, or undefined. The event type is also the template key. */
export function findEvent(eventType: string): CatalogEvent | undefined {
  return eventsByType.get(eventType);
}
