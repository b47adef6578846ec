import { readSignInMail } from "../mail/maildev";
import type { Platform } from "./platform";

/** Signs a person of company 1 in by the code of a real mail, and answers their access token. */
export async function signInAt(platform: Platform, email: string): Promise<string> {
  const post = (path: string, body: unknown) =>
    fetch(`${platform.url}/identity/api/v1/magic-link${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await post("/request", { company_id: 1, email, redirect_to: `${platform.url}/` });
  const { code } = readSignInMail(await platform.inbox.waitForMail(email));
  const answer = await post("/verify", { company_id: 1, email, code });
  return ((await answer.json()) as { access_token: string }).access_token;
}
