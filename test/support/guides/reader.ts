import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Mail, readSignInMail } from "../mail/maildev.ts";
import type { Platform } from "../platform/platform.ts";

/**
 * Starts an HTTP server for the manual steps of a guide: `/code` returns the code of the next mail to company 1's
 * owner, and `/sign-in?url=` signs the owner in on the page at `url` and returns the URL that the browser is redirected
 * to.
 */
export async function startReader(platform: Platform) {
  const email = "owner@example.com";
  let read = (await platform.inbox.mailsTo(email)).length;
  /** Waits for the next sign-in mail. Skips other mail to the owner, such as one about a new device. */
  async function nextMail(): Promise<Mail> {
    for (;;) {
      const mail = await platform.inbox.waitForMail(email, ++read);
      if (mail.text.includes("/magic-link/verify?")) return mail;
    }
  }

  async function signIn(url: string): Promise<string> {
    const page = await openForm(url);
    const sent = await page.submit("magic-link/request", { email });
    if (!sent.ok) throw new Error(`the sign-in page returned ${sent.status}`);
    const { link } = readSignInMail(await nextMail());
    const confirmed = await (await openForm(link)).submit("", {});
    return confirmed.headers.get("location") ?? `${confirmed.status} without Location`;
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://reader");
    try {
      response.end(
        pathname === "/code" ? readSignInMail(await nextMail()).code : await signIn(searchParams.get("url") ?? ""),
      );
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Loads a page with a form. `submit` sends its hidden fields and cookies, as a browser does. */
async function openForm(url: string) {
  const page = await fetch(url, { headers: { accept: "text/html" } });
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const html = await page.text();
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]));
  const { origin } = new URL(url);
  return {
    submit: (action: string, submitted: Record<string, string>) =>
      fetch(new URL(action, page.url), {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin, accept: "text/html", "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({ ...fields, ...submitted }),
      }),
  };
}
