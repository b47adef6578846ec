import { expect } from "vitest";
import type { createAdministration } from "./administration";
import { callIdentity, json, type Mailbox, requestLink } from "./identity";

type Administration = Awaited<ReturnType<typeof createAdministration>>;

export const invitationsPath = "/api/v1/invitations";

/** An invitation in a response. */
export type Invitation = {
  id: string;
  email: string;
  status: string;
  mail_state: string | null;
  expires_at: string;
  invitation_url?: string;
} & Record<string, unknown>;

/** Invites an address and returns the invitation. */
export async function inviteAddress(
  { owner }: Administration,
  email: string,
  fields: object = {},
): Promise<Invitation> {
  const { status, body } = await owner.call("POST", invitationsPath, { email, ...fields });
  expect([status, body]).toEqual([201, expect.objectContaining({ email })]);
  return body as Invitation;
}

/** Returns the invitation as the API shows it now. */
export async function readInvitation({ owner }: Administration, id: string): Promise<Invitation> {
  return (await owner.call("GET", `${invitationsPath}/${id}`)).body as Invitation;
}

/** Uses a new link of the address and returns status and body. */
export async function tryToSignIn({ env, mailbox, company }: Administration, email: string) {
  const { token } = await requestLink(env, mailbox, company, email);
  const response = await callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
  const body = await response.json<Record<string, unknown>>();
  return { status: response.status, code: body.error_code, body };
}

/** Returns the mails of a template that were sent to an address. */
export const mailsTo = (mailbox: Mailbox, email: string, template: string) =>
  mailbox.sent.filter(({ to, template_key }) => template_key === template && to[0]?.email === email);
