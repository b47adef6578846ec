import { type EventEntry, logged, ruleFailing, staffOnly, webhook } from "../event-entry";

/** Every event type of identity, in display order. */
export const identityEvents = [
  webhook("identity.auth.magic_link.requested", "Magic link requested", "A user requested a sign-in link."),
  logged(
    "identity.auth.magic_link.mail_failed",
    "Sign-in mail failed",
    "The mail with a sign-in link could not be sent.",
  ),
  logged(
    "identity.membership.mail_failed",
    "Access mail failed",
    "A mail about access to the company could not be sent.",
  ),
  logged(
    "identity.auth.sign_in_link.created",
    "Sign-in link created",
    "An operator created a sign-in link with a command.",
  ),
  logged("identity.auth.login.succeeded", "Signed in", "A session was created."),
  logged(
    "identity.auth.login.new_device_detected",
    "Signed in on a new device",
    "A session was created on a new device. The user gets a mail.",
  ),
  logged("identity.auth.login.failed", "Sign-in rejected", "A sign-in by link, code or provider was rejected."),
  logged(
    "identity.auth.session.reuse_detected",
    "Refresh token reused",
    "A used refresh token was sent again, so its session was revoked.",
  ),
  logged(
    "identity.auth_methods.updated",
    "Sign-in methods changed",
    "An administrator enabled or disabled a sign-in method.",
  ),
  webhook("identity.user.created", "User account created", "A new user got their first membership."),
  webhook("identity.user.updated", "User updated", "An administrator, the directory or the user changed the user."),
  webhook("identity.user.deleted", "User account deleted", "The membership of a user was removed."),
  webhook("identity.user.invited", "User invited", "A user was invited to the company."),
  webhook("identity.user.invitation_revoked", "Invitation revoked", "An invitation was revoked."),
  logged("identity.invitation.resent", "Invitation sent again", "An administrator sent an invitation again."),
  logged("identity.invitation.lifted", "Revocation lifted", "An administrator lifted a revoked invitation."),
  webhook(
    "identity.membership.requested",
    "Access requested",
    "A sign-in is waiting for the approval of an administrator, or was denied.",
  ),
  webhook("identity.membership.enabled", "Access enabled", "An administrator gave a user access."),
  webhook("identity.group.created", "Group created", "A group was created."),
  webhook("identity.group.updated", "Group updated", "A group was changed."),
  webhook("identity.group.deleted", "Group deleted", "A group was deleted."),
  webhook("identity.group.membership_changed", "Group membership changed", "Users joined or left a group."),
  webhook("identity.scim.user.provisioned", "Access given by directory", "The directory gave a user access."),
  webhook("identity.scim.user.deprovisioned", "Access removed by directory", "The directory removed a user's access."),
  webhook("identity.scim.token.created", "SCIM token created", "A token for the directory was created."),
  webhook("identity.scim.token.revoked", "SCIM token revoked", "A token of the directory was revoked."),
  webhook(
    "identity.scim.provisioning_conflict",
    "Directory conflict",
    "The directory used a name that is already taken.",
  ),
  logged(
    "identity.member.updated",
    "Member changed",
    "An administrator changed names, metadata or access of a member.",
  ),
  logged("identity.member.removed", "Member removed", "An administrator removed a member."),
  logged("identity.member.sessions_ended", "Member signed out", "An administrator ended sessions of a member."),
  logged("identity.people.imported", "People imported", "Staff or the operator imported people into the company."),
  logged("identity.people.exported", "People exported", "Staff or the operator exported the members of the company."),
  logged("identity.company.created", "Company created", "Staff created the company."),
  logged("identity.company.updated", "Company changed", "An administrator changed the company."),
  logged("identity.oauth_client.created", "Provider client created", "An administrator added a sign-in provider."),
  logged("identity.oauth_client.updated", "Provider client changed", "An administrator changed a sign-in provider."),
  logged("identity.oauth_client.deleted", "Provider client deleted", "An administrator removed a sign-in provider."),
  logged("identity.oauth_redirect.created", "Redirect origin added", "An origin was added to the redirect allowlist."),
  logged(
    "identity.oauth_redirect.updated",
    "Redirect origin changed",
    "An origin of the redirect allowlist was changed.",
  ),
  logged(
    "identity.oauth_redirect.deleted",
    "Redirect origin removed",
    "An origin was removed from the redirect allowlist.",
  ),
  logged("identity.personal_access_token.created", "Access token created", "A personal access token was created."),
  logged("identity.personal_access_token.updated", "Access token changed", "A personal access token was changed."),
  logged("identity.personal_access_token.reissued", "Access token reissued", "A personal access token was reissued."),
  logged("identity.personal_access_token.revoked", "Access token revoked", "A personal access token was revoked."),
  logged("identity.action_rule.created", "Webhook added", "An administrator added a webhook."),
  logged("identity.action_rule.updated", "Webhook changed", "An administrator changed a webhook."),
  logged("identity.action_rule.secret_rotated", "Webhook secret replaced", "An administrator replaced a secret."),
  logged("identity.action_rule.deleted", "Webhook removed", "An administrator removed a webhook."),
  webhook("identity.action_rule.failing", ...ruleFailing),
  staffOnly("identity.scheduled_job.succeeded", "Job succeeded", "A run of a scheduled job succeeded."),
  staffOnly("identity.scheduled_job.failed", "Job failed", "A run of a scheduled job failed."),
];

export type IdentityEventType = (typeof identityEvents)[number]["type"];

/** Events for which identity sends a mail itself, independently of the email rules of the company. */
const directlyMailed = [
  "identity.auth.magic_link.requested",
  "identity.user.invited",
  "identity.user.invitation_revoked",
  "identity.action_rule.failing",
];

/** Events that are also sent to the email service, which applies the email rules of the company. */
export const mailedEvents = identityEvents
  .filter(({ audience, type }) => audience === "webhook" && !directlyMailed.includes(type))
  .map(({ type }) => type)
  .filter((type) => !type.startsWith("identity.membership."));

const entries = new Map<string, EventEntry>(identityEvents.map((event) => [event.type, event]));

/** Returns the catalog entry of an event type, or undefined. */
export function findEventEntry(type: string): EventEntry | undefined {
  return entries.get(type);
}
