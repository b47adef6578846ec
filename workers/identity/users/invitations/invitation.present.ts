import { iso } from "../../../kit/time";
import type { InvitationRow } from "./invitation.store";

const mailStates = { waiting: "queued", sent: "sent", failed: "failed", expired: "failed" } as const;

type Inviter = Pick<InvitationRow, "inviter_first_name" | "inviter_last_name" | "inviter_profile">;

/** Returns the name of the inviting user as the company sees them, or "". */
export function inviterNameOf({ inviter_first_name, inviter_last_name, inviter_profile }: Inviter): string {
  const { first_name = inviter_first_name, last_name = inviter_last_name } = inviter_profile ?? {};
  return [first_name, last_name].filter((part) => part).join(" ");
}

/** Returns an invitation for the API. `now` is unix ms. */
export function presentInvitation(row: InvitationRow, now: number) {
  const time = (ms: number | null) => (ms === null ? null : iso(ms));
  const { invited_by, inviter_email } = row;
  return {
    id: row.id,
    email: row.email,
    language: row.language,
    status: row.status === "pending" && row.expires_at <= now ? "expired" : row.status,
    app_url: row.app_url,
    group_ids: row.group_ids,
    invited_by:
      invited_by === null || inviter_email === null
        ? null
        : { id: invited_by, email: inviter_email, name: inviterNameOf(row) },
    mail_state: row.mail_state && mailStates[row.mail_state],
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    accepted_at: time(row.accepted_at),
    revoked_at: time(row.revoked_at),
  };
}
