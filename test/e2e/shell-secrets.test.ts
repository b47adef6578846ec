import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, fakeUser, routeBackend, tokensOf } from "../support/shell/fake-identity.ts";
import { account, startShellSite } from "../support/shell/shell-site.ts";

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const { access_token: accessToken } = tokensOf();
const refreshToken = "prt_secret";
const code = "secret-code";
const secrets = [accessToken, refreshToken, code];
const secretsIn = (text: string | undefined) => secrets.filter((secret) => text?.includes(secret));

type RecordedRequest = { method: string; url: string; referer: string; authorization: string; body: string };

/** Records all requests of a browser with their headers and bodies. */
function recordRequests(browserContext: BrowserContext): () => Promise<RecordedRequest[]> {
  const all: Promise<RecordedRequest>[] = [];
  browserContext.on("request", (request) => {
    const requests = request.allHeaders().then(({ referer = "", authorization = "" }) => {
      return { method: request.method(), url: request.url(), referer, authorization, body: request.postData() ?? "" };
    });
    all.push(requests);
  });
  return () => Promise.all(all);
}

async function openShell(context: TestContext) {
  const [stranger, trusted] = [await serveApplication(context), await serveApplication(context)];
  const site = await startShellSite(
    { type: "platform", url: fakeBackendUrl, companyId: 1 },
    {
      navigation: [
        { label: "Home", path: "home", url: "/__welcome", requiresAuth: true },
        { label: "Stranger", path: "stranger", url: `${stranger}/app?view=1` },
        { label: "Trusted", path: "trusted", url: `${trusted}/app`, safeForAuthToken: true },
      ],
    },
  );
  context.onTestFinished(() => site.close());
  const { page, context: browserContext, errors } = await openPage(browser);
  context.onTestFinished(() => browserContext.close());
  const response = { body: { ...tokensOf(), refresh_token: refreshToken } };
  await routeBackend(browserContext, { "/api/v1/token": response, "/api/v1/oauth/session": response });
  /** Opens a shell address by a redirect of the service, as a sign-in does. */
  const arrive = async (address: string) => {
    const from = `${fakeBackendUrl}/redirect?${Math.random()}`;
    await browserContext.route(from, (route) =>
      route.fulfill({ status: 303, headers: { Location: site.url + address } }),
    );
    await page.goto(from);
  };
  return { page, errors, shell: site.url, stranger, trusted, arrive, requests: recordRequests(browserContext) };
}

/** Returns everything that the browser stores for pages. */
async function browserStorage(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send("Page.getNavigationHistory");
  const { cookies } = await session.send("Network.getCookies");
  const stored = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const caches = await window.caches.keys();
    return { local: { ...localStorage }, session: { ...sessionStorage }, state: history.state, databases, caches };
  });
  return { history: JSON.stringify(entries), cookies, stored };
}

const callbackUrls = {
  "tokens in the fragment": `?next=/home#access_token=${accessToken}&refresh_token=${refreshToken}&token_type=bearer&expires_in=900&expires_at=1&provider=magic_link`,
  "a code": `?next=/home&platform_auth_code=${code}`,
};

describe.skipIf(!hasChromium)("the secrets of a sign-in", () => {
  it.for(Object.entries(callbackUrls))(
    "are in no storage, history, referrer or foreign frame when they came as %s",
    async ([, arrival], context) => {
      const { page, errors, shell, stranger, trusted, arrive, requests } = await openShell(context);
      await arrive(`/login/callback${arrival}`);
      await page.waitForURL(`${shell}/home`);
      await account(page).waitFor();
      const frames: [string, string][] = [
        ["Stranger", stranger],
        ["Trusted", trusted],
      ];
      for (const [name, address] of frames) {
        await page.getByRole("link", { name }).first().click();
        await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(address))).toBe(true);
        const frame = frameOf(page, address);
        await frame.waitForLoadState();
        await sendToShell(frame, "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
        await expect.poll(() => receivedBy(frame, "PLATFORM_SETTINGS")).toHaveLength(1);
        // An untrusted frame receives no secret on request.
        await sendToShell(frame, "PLATFORM_SESSION_REQUESTED", { id: "1", minTtl: 10 });
        await expect
          .poll(async () => [
            ...(await receivedBy(frame, "PLATFORM_SESSION")),
            ...(await receivedBy(frame, "PLATFORM_ERROR")),
          ])
          .toHaveLength(1);
        const all = await frame.evaluate(() => JSON.stringify(Reflect.get(window, "received")));
        expect([name, secretsIn(all)]).toEqual([name, name === "Trusted" ? [accessToken] : []]);
        const frameFacts = await frame.evaluate(() => [document.referrer, window.name, location.href]);
        expect(frameFacts.slice(0, 2)).toEqual([`${shell}/`, ""]);
        expect(secretsIn(frameFacts[2])).toEqual([]);
        if (name === "Stranger") expect(all).not.toContain(fakeUser.email);
      }
      await page.goto(`${shell}/__settings/account`);
      await account(page).waitFor();

      const { history, cookies, stored } = await browserStorage(page);
      expect(secretsIn(history)).toEqual([]);
      expect(cookies).toEqual([]);
      expect(secretsIn(JSON.stringify(stored))).toEqual([refreshToken]);
      expect(Object.entries(stored.local).filter(([, value]) => value.includes(refreshToken))).toEqual([
        ["platform:session", expect.any(String)],
      ]);
      const calls = (await requests()).filter(({ url }) => !url.startsWith(`${shell}/login/callback`));
      expect(calls.length).toBeGreaterThan(10);
      for (const { url, referer } of calls) {
        expect(secretsIn(url)).toEqual([]);
        // Requests for the shell's own files can send their page as the referrer, which never contains the fragment.
        const isShellUrl = url.startsWith(`${shell}/`);
        expect([url, secretsIn(referer)]).toEqual([
          url,
          isShellUrl ? secretsIn(referer).filter((secret) => secret === code) : [],
        ]);
      }
      const sentTo = (part: "authorization" | "body", secret: string) =>
        new Set(
          calls
            .filter((request) => request[part].includes(secret))
            .map(({ url }) => new URL(url).origin + new URL(url).pathname),
        );
      expect([...sentTo("authorization", accessToken)].filter((url) => !url.startsWith(`${fakeBackendUrl}/`))).toEqual(
        [],
      );
      expect([...sentTo("body", accessToken)]).toEqual([]);
      expect([...sentTo("authorization", refreshToken)]).toEqual([]);
      expect([...sentTo("body", refreshToken)]).toEqual([`${fakeBackendUrl}/api/v1/token`]);
      expect([...sentTo("body", code)].filter((url) => url !== `${fakeBackendUrl}/api/v1/oauth/session`)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );

  it.for(Object.entries(callbackUrls))(
    "sign in on the sign-in page itself when they came as %s",
    async ([, arrival], context) => {
      const { page, shell, arrive, requests } = await openShell(context);
      await arrive(`/login${arrival}`);
      await page.waitForURL(`${shell}/home`);
      await account(page).waitFor();
      const { history, stored } = await browserStorage(page);
      expect(secretsIn(history)).toEqual([]);
      expect(secretsIn(JSON.stringify(stored))).toEqual([refreshToken]);
      // The code is exchanged with the redirect address that the service received.
      const exchanges = (await requests()).filter(({ url }) => url.endsWith("/api/v1/oauth/session"));
      for (const { body } of exchanges)
        expect(JSON.parse(body)).toMatchObject({ redirect_to: `${shell}/login?next=/home` });
      expect(exchanges).toHaveLength(arrival.includes(code) ? 1 : 0);
    },
  );

  it("are removed from other addresses and have no effect there", async (context) => {
    const { page, arrive, requests } = await openShell(context);
    for (const address of ["/home", "/stranger", "/__settings", "/nothing"]) {
      await arrive(
        `${address}?a=1&platform_auth_code=${code}&b=2#access_token=${accessToken}&refresh_token=${refreshToken}`,
      );
      await page.locator("h1").first().waitFor({ state: "attached" });
      await expect.poll(() => secretsIn(page.url())).toEqual([]);
    }
    const { history, stored } = await browserStorage(page);
    expect(secretsIn(history)).toEqual([]);
    expect(secretsIn(JSON.stringify(stored))).toEqual([]);
    expect((await requests()).filter(({ url }) => /\/api\/v1\/(token|oauth)/.test(url))).toEqual([]);
    for (const frame of page.frames().slice(1)) expect(secretsIn(frame.url())).toEqual([]);
  });
});
