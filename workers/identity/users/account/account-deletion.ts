import type { CompanyRow } from "../../../../db/identity/schema";
import { uuid } from "../../../kit/ids";
import type { EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { endMembership } from "../../company/memberships/membership";
import { queueErasure } from "../../mail/outbox/mail";
import { Problem } from "../../problem";
import { userChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { endSessionOfLeaver } from "../../sign-in/sessions/session";

/** Throws 403 `recent_login_required` for a token, and for a session whose sign-in is too long ago. */
export function requireRecentSignIn({ settings, clock }: IdentityServices, { credential }: Caller): void {
  const isRecent =
    credential.kind === "session" && clock.now() - credential.authTime <= settings.accountDeleteMaxAuthAgeMs;
  if (!isRecent) throw new Problem("recent_login_required");
}

/**
 * Ends the caller's membership of the token's company with its sessions and tokens, and the account when none is left; the
 * event and the request to erase that company's mail to the address are rows of the same batch. Returns the id of the outbox
 * row. 409 `last_company_owner`, with the company, for its sole owner.
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
  const session = await endSessionOfLeaver(services, { ...member, refreshToken });
  const following = [deleted, erasure, ...(session ? [session] : [])];
  const outcome = await endMembership(services, member, following, events);
  if (outcome === "last_owner") throw new Problem("last_company_owner", { extra: { companies: [{ id, name }] } });
  return erasureId;
}
