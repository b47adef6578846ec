import type { CompanyRow } from "../../../../db/identity/schema";
import { uuid } from "../../../kit/ids";
import type { EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { endMembership } from "../../company/memberships/membership";
import { queueErasure } from "../../mail/outbox/mail";
import { Problem } from "../../problem";
import { userChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { endSessionOfFormerMember } from "../../sign-in/sessions/session";

/** Throws 403 `recent_login_required` for a personal access token, and for a session whose sign-in is too long ago. */
export function requireRecentSignIn({ settings, clock }: IdentityServices, { credential }: Caller): void {
  const isRecent =
    credential.kind === "session" && clock.now() - credential.authTime <= settings.accountDeleteMaxAuthAgeMs;
  if (!isRecent) throw new Problem("recent_login_required");
}

/**
 * Removes the caller's membership in the token's company with its sessions and tokens. Deletes the account when it was the
 * last membership. The same batch inserts the event and queues the request to erase the company's mails to the address.
 * Returns the outbox id of this request. Throws 409 `last_company_owner`, with the company, for the sole owner.
 */
export async function deleteAccount(
  services: IdentityServices,
  caller: Caller,
  { id, name }: Pick<CompanyRow, "id" | "name">,
  refreshToken: string | null,
): Promise<string> {
  const { user } = caller;
  const member = { companyId: id, userId: user.id };
  const erasureId = uuid();
  const events: EventKey[] = [];
  const deleted = userChangeEntry(services, events, {
    ...member,
    caller,
    type: "identity.user.deleted",
    source: "self",
  });
  const erasure = await queueErasure(services, { id: erasureId, company_id: id, email: user.email });
  const session = await endSessionOfFormerMember(services, { ...member, refreshToken });
  const following = [deleted, erasure, ...(session ? [session] : [])];
  const outcome = await endMembership(services, member, following, events);
  if (outcome === "last_owner") throw new Problem("last_company_owner", { extra: { companies: [{ id, name }] } });
  return erasureId;
}
