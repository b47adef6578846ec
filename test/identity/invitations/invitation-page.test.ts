import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { invitations } from "../../../db/identity/schema";
import { createAdministration } from "../../support/identity/administration";
import { callIdentity, freshEmail } from "../../support/identity/identity";
import { invitationsPath, inviteAddress } from "../../support/identity/invitations";
import { readRows, updateRows } from "../../support/identity/rows";

type Administration = Awaited<ReturnType<typeof createAdministration>>;

/** Opens the page of an invitation as a browser does. */
async function openPage({ env }: Administration, url: string | undefined, accept = "text/html") {
  const path = (url ?? "").slice((url ?? "").indexOf("/api/"));
  const response = await callIdentity(env, path, { headers: { accept, "accept-language": "de" } });
  return { response, text: await response.text() };
}

it("shows the inviter and a link to the application in the language of the invitation, and changes nothing", async () => {
  const administration = await createAdministration();
  const { company } = administration;
  for (const [language, sentence] of [
    ["en", "Mina invited you."],
    ["fr", "Invitation envoyée par Mina."],
  ] as const) {
    const { id, invitation_url } = await inviteAddress(administration, freshEmail(), { language, send_mail: false });
    const before = await readRows(invitations, eq(invitations.id, id));
    const { response, text } = await openPage(administration, invitation_url);
    expect(response.status).toBe(200);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(sentence);
    expect(text).toContain(`href="${company.origin}/login"`);
    expect(text).not.toMatch(/<form|<script/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await readRows(invitations, eq(invitations.id, id))).toEqual(before);
  }
});

it("shows no link to an application that is no longer on the allowlist", async () => {
  const administration = await createAdministration();
  const { owner, company } = administration;
  const { invitation_url } = await inviteAddress(administration, freshEmail(), { send_mail: false });
  const [redirect] = (await owner.call("GET", "/api/v1/oauth-redirects")).body.results as { id: string }[];
  await owner.call("DELETE", `/api/v1/oauth-redirects/${redirect?.id}`);
  const { response, text } = await openPage(administration, invitation_url);
  expect([response.status, text.includes(company.origin)]).toEqual([200, false]);
  expect(text).toContain("Open the application of Aster");
});

it("returns the same error page for unknown, expired, accepted and revoked invitations and for replaced links", async () => {
  const administration = await createAdministration();
  const { owner } = administration;
  const changes = [
    (id: string) => updateRows(invitations, { expires_at: 2 }, eq(invitations.id, id)),
    (id: string) => updateRows(invitations, { status: "accepted" }, eq(invitations.id, id)),
    (id: string) => owner.call("POST", `${invitationsPath}/${id}/revoke`),
    (id: string) => owner.call("POST", `${invitationsPath}/${id}/resend`, { send_mail: false }),
  ];
  const urls: (string | undefined)[] = [
    "/api/v1/invitations/open",
    `/api/v1/invitations/open?token=${"x".repeat(200)}`,
  ];
  for (const change of changes) {
    const { id, invitation_url } = await inviteAddress(administration, freshEmail(), { send_mail: false });
    await change(id);
    urls.push(invitation_url);
  }
  for (const url of urls) {
    const { response, text } = await openPage(administration, url);
    expect([response.status, text.includes("This invitation is not valid")]).toEqual([400, true]);
    const api = await openPage(administration, url, "application/json");
    expect(JSON.parse(api.text)).toMatchObject({ error_code: "invitation_invalid" });
  }
});

it("shows no link to an origin that only begins like one of the allowlist", async () => {
  const administration = await createAdministration();
  const { owner, company } = administration;
  const origin = `${company.origin}:8443`;
  const { body } = await owner.call("POST", "/api/v1/oauth-redirects", { base_url: origin });
  const { invitation_url } = await inviteAddress(administration, freshEmail(), {
    send_mail: false,
    app_url: `${origin}/welcome`,
  });
  expect((await openPage(administration, invitation_url)).text).toContain(`href="${origin}/welcome"`);
  await owner.call("DELETE", `/api/v1/oauth-redirects/${body.id}`);
  expect((await openPage(administration, invitation_url)).text).not.toContain(origin);
});
