import { readSignInMail } from "../mail/maildev.ts";
import type { Platform } from "./platform.ts";

/** Signs a user in to company 1 with the code of a real email and returns the access token. */
export async function signInAt(platform: Platform, email: string): Promise<string> {
  const post = (path: string, body: unknown) =>
    fetch(`${platform.url}/identity/api/v1/magic-link${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await post("/request", { company_id: 1, email, redirect_to: `${platform.url}/` });
  const { code } = readSignInMail(await platform.inbox.waitForMail(email));
  const response = await post("/verify", { company_id: 1, email, code });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Adds an OAuth client to company 1 and returns a function that removes it; `bearer` is an owner's access token. */
export async function addOAuthClient(platform: Platform, bearer: string, client: object): Promise<() => Promise<void>> {
  const clients = `${platform.url}/identity/api/v1/oauth-clients`;
  const headers = { "content-type": "application/json", authorization: `Bearer ${bearer}` };
  const added = await fetch(clients, { method: "POST", headers, body: JSON.stringify(client) });
  if (added.status !== 201) throw new Error(`OAuth client: ${added.status} ${await added.text()}`);
  const { id } = (await added.json()) as { id: number };
  return async () => {
    const removed = await fetch(`${clients}/${id}`, { method: "DELETE", headers });
    if (!removed.ok) throw new Error(`OAuth client: ${removed.status} ${await removed.text()}`);
  };
}
