import { type Inbox, readSignInMail } from "../support/mail/maildev";
import type { KillablePlatform } from "../support/platform/killable-platform";

/** Signs a person in to the first company with the code of the mail, and returns the access token. */
export async function signIn(platform: KillablePlatform, inbox: Inbox, email: string): Promise<string> {
  const company_id = 1;
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${platform.url}/identity/api/v1/magic-link/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { access_token: string };
  };
  await post("request", { company_id, email, redirect_to: `${platform.origin}/` });
  const { code } = readSignInMail(await inbox.waitForMail(email));
  return (await post("verify", { company_id, email, code })).access_token;
}
