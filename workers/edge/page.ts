import { escapeHtml } from "../kit/http/html";

const policy =
  "default-src 'none'; script-src 'nonce-{{nonce}}'; style-src 'nonce-{{nonce}}'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'";

/** The sign-in page of development, a static asset, with its own policy; `inboxUrl`: the web inbox, or empty. */
export async function showSignInPage(assets: Fetcher, inboxUrl = ""): Promise<Response> {
  const nonce = crypto.randomUUID();
  const page = await (await assets.fetch("https://assets/sign-in.html")).text();
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.replaceAll("{{nonce}}", nonce),
    "referrer-policy": "no-referrer",
  };
  const html = page.replaceAll("{{nonce}}", nonce).replace("{{inbox}}", () => escapeHtml(inboxUrl));
  return new Response(html, { headers });
}
