import { seal } from "../../kit/crypto/seal";
import { uuid } from "../../kit/ids";
import { Problem } from "../../kit/problem";
import { noteUserChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { readRefreshToken } from "../caller/token";
import { erasureKind, insertMailOfChange } from "../mail/mail.store";
import { endMembership } from "../members/membership";
import type { IdentityServices } from "../services";
import { revokeSessionOfLeaver } from "../sessions/session.store";
import type { CompanyRow } from "./person.store";

/** The email service may be away for this long before an erasure is given up. */
const erasureLifeMs = 7 * 86_400_000;

/** 403 `recent_login_required` for a token, and for a session whose sign-in is too long ago (details 8). */
export function requireRecentSignIn({ settings, clock }: IdentityServices, { credential }: Caller): void {
  const isRecent =
    credential.kind === "session" && clock.now() - credential.authTime <= settings.accountDeleteMaxAuthAgeMs;
  if (!isRecent) throw new Problem("recent_login_required");
}

/**
 * Ends the caller's membership of the token's company with its sessions and tokens, and the account when none is left; the
 * event and the request to erase that company's mail to the address are rows of the same batch (details 8). Answers the id
 * of the outbox row. 409 `last_company_owner`, with the company, for its sole owner.
 */
export async function deleteOwnAccount(
  services: IdentityServices,
  caller: Caller,
  company: Pick<CompanyRow, "id" | "name">,
  refreshToken: string | null,
): Promise<string> {
  const { person } = caller;
  const erasureId = uuid();
  const deleted = {
    caller,
    companyId: company.id,
    type: "identity.user.deleted" as const,
    userId: person.id,
    source: "self" as const,
  };
  const events: string[] = [];
  const behind = [
    noteUserChange(services, events, deleted),
    await askErasure(services, erasureId, { company_id: company.id, email: person.email }),
    ...(await endSessionOf(services, caller, refreshToken)),
  ];
  const outcome = await endMembership(services, { companyId: company.id, userId: person.id }, behind, events);
  if (outcome === "last_owner") {
    const { id, name } = company;
    throw new Problem("last_company_owner", { extra: { companies: [{ id, name }] } });
  }
  return erasureId;
}

/** The outbox row that asks the email service to erase an address of a company, behind the statement it follows. */
async function askErasure(
  services: IdentityServices,
  id: string,
  request: { company_id: number; email: string },
): Promise<D1PreparedStatement> {
  const { db, clock, requestId } = services;
  const now = clock.now();
  const sealed = await seal(JSON.stringify(request), (await services.keys()).sealing, `identity:mail_outbox:${id}`);
  return insertMailOfChange.bind(
    db,
    id,
    request.company_id,
    erasureKind,
    `erasure-${id}`,
    sealed,
    now,
    now + erasureLifeMs,
    requestId,
  );
}

/** As in logout, the session of a genuine refresh token of the caller's ends too, in whichever company it is. */
async function endSessionOf(
  services: IdentityServices,
  { person, companyId }: Caller,
  refreshToken: string | null,
): Promise<D1PreparedStatement[]> {
  const { db, clock } = services;
  const session = refreshToken === null ? null : await readRefreshToken(services, refreshToken);
  if (!session) return [];
  return [revokeSessionOfLeaver.bind(db, session.sid, person.id, clock.now(), "logout", companyId)];
}
