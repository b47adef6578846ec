import { ruleFailingFields } from "../event-entry";
import type { IdentityEventType } from "./events";

type Field = { name: string; description: string; example: unknown };

const field = (name: string, description: string, example: unknown): Field => ({ name, description, example });

const userId = field("user_id", "id of the user", 7);
const email = field("email", "address of the user", "mina@example.com");
const language = field("language", "language that the user has chosen", "en");
const region = field("region", "time zone that the user has chosen", "UTC");
const sources = "`magic_link`, `oauth`, `scim`, `invitation`, `admin`, `self` or `command`";
const userFrom = (source: string) => [
  userId,
  email,
  field("username", "name of the user", "mina"),
  field("source", `cause of the event: ${sources}`, source),
  language,
  region,
];
const accessState = field("access_state", "`allowed`, `pending` or `denied`", "pending");
const invitation = [
  field("invitation_id", "id of the invitation", "5b0f4a4e-7c1d-4f0b-9a51-0d7f6a1f3c21"),
  email,
  language,
  field("inviter_name", "name of the user who invited", "Leo"),
];
const group = [
  field("group_id", "id of the group", "2f9d0e0c-6a35-4d0f-8a55-0f3f6b0a7c11"),
  field("display_name", "name of the group", "Editors"),
  field("source", "`admin` or `scim`", "admin"),
];
const changedFields = (example: string[]) => field("changed_fields", "names of the changed fields", example);
const token = [
  field("token_id", "id of the token", "9a51f3c2-2f0b-4c5e-8a55-0d7f6a1f3c21"),
  field("token_name", "name of the token", "Directory"),
  field("token_prefix", "first characters of the token", "pst_a1B2c3D4"),
  field("country_code", "country of the request, if known", "FR"),
];

/** The data fields of the events that webhooks can subscribe to, in display order. */
const fields: Partial<Record<IdentityEventType, readonly Field[]>> = {
  "identity.auth.magic_link.requested": [
    field("request_id", "id of the request", "b7d0c8f0-3f0a-4a35-9d2c-1f2e3d4c5b6a"),
    field("email", "address that the link was requested for", "mina@example.com"),
    field("expires_at", "when the link expires", "2026-11-21T10:00:00.000Z"),
    field("user_id", "id of the user when they are a member", 7),
    field("language", "language of the member", "en"),
    field("region", "time zone of the member", "UTC"),
  ],
  "identity.user.created": [
    ...userFrom("magic_link"),
    field("oauth_provider", "provider of the sign-in that created the account", "google"),
  ],
  "identity.user.updated": [...userFrom("self"), changedFields(["first_name"])],
  "identity.user.deleted": userFrom("admin"),
  "identity.user.invited": invitation,
  "identity.user.invitation_revoked": invitation,
  "identity.membership.requested": [...userFrom("magic_link"), accessState],
  "identity.membership.enabled": [...userFrom("admin"), { ...accessState, example: "allowed" }],
  "identity.action_rule.failing": ruleFailingFields("identity"),
  "identity.group.created": group,
  "identity.group.updated": [...group, changedFields(["display_name"])],
  "identity.group.deleted": group,
  "identity.group.membership_changed": [
    ...group,
    field("change", "`members_added`, `members_removed` or `members_replaced`", "members_added"),
    field("user_ids", "ids of the users, at most 100", [7]),
  ],
  "identity.scim.user.provisioned": userFrom("scim"),
  "identity.scim.user.deprovisioned": userFrom("scim"),
  "identity.scim.token.created": token,
  "identity.scim.token.revoked": token,
  "identity.scim.provisioning_conflict": [
    field("display_name", "name that is already taken", "Editors"),
    field("operation", "operation that the directory requested", "create_group"),
    field("detail", "why it was rejected", "The name is taken."),
  ],
};

/** Returns the data fields of an event that webhooks can subscribe to, or an empty list for other events. */
export function identityEventFields(type: string): readonly Field[] {
  return fields[type as IdentityEventType] ?? [];
}
