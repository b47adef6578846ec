import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "./sign-in-providers";

const page = (query: string, cancel: string) => `<!doctype html><title>Authorize</title><h1>Authorize Demo</h1>
<form method="post" action="/login/oauth/authorize?${query.replaceAll("&", "&amp;")}">
<label>Username <input name="login" required></label><button>Authorize Demo</button></form>
<a href="${cancel.replaceAll("&", "&amp;")}">Cancel</a>`;

/**
 * Creates the pages of github.com. The site asks for consent once and then recognizes the user by a cookie, as the real
 * site does for an authorized application. `consent` returns the callback's query values for an authorize URL.
 */
export function createGithubSite(
  client: { id: string; callback: string },
  testUsers: Account[],
  consent: (location: string, account: Account) => Record<string, string>,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "https://github.com");
    const { searchParams } = url;
    const callback = new URL(client.callback);
    const isRegistered =
      searchParams.get("client_id") === client.id && searchParams.get("redirect_uri") === callback.href;
    if (url.pathname !== "/login/oauth/authorize" || !isRegistered) {
      response.writeHead(404).end("This is not the web page you are looking for.");
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const typed = new URLSearchParams(Buffer.concat(chunks).toString("utf8")).get("login");
    const remembered = /user_session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1];
    const login = request.method === "POST" ? typed : remembered;
    const account = testUsers.find(({ user }) => login && user?.login === login);
    if (!account) {
      const denial = { error: "access_denied", error_description: "The user has denied your application access." };
      callback.search = String(new URLSearchParams({ ...denial, state: searchParams.get("state") ?? "" }));
      response.writeHead(200, { "content-type": "text/html" }).end(page(String(searchParams), callback.href));
      return;
    }
    callback.search = String(new URLSearchParams(consent(url.href, account)));
    const cookie = `user_session=${login}; Path=/; Secure; HttpOnly; SameSite=Lax`;
    response.writeHead(302, { location: callback.href, "set-cookie": cookie }).end();
  };
}
