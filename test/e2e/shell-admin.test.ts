import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication } from "../support/shell/application.ts";
import { findingsEverywhere } from "../support/shell/axe.ts";
import { fakeBackendUrl, routeBackend, sessionAt, tokensOf } from "../support/shell/fake-identity.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const link = { label: "Billing", path: "billing", url: "https://billing.example/" };
const administration = { title: "Console", navigation: [link] };

/** Opens a shell with an administration at `path`, as a signed-in owner or a signed-out user. */
async function open(context: TestContext, path: string, isSignedIn = true) {
  const console = await serveApplication(context);
  const backend = {
    type: "platform",
    url: fakeBackendUrl,
    companyId: 1,
    login: { methods: ["magic_link"] },
    adminUrl: `${console}/console`,
    adminPathname: "admin",
  };
  const navigation = [
    { label: "Home", path: "home", url: "/__welcome" },
    { label: "Orders", path: "orders", url: `${console}/orders`, safeForAuthToken: true },
  ];
  const opened = await openShell(
    context,
    browser,
    { backend, navigation, administration },
    {
      path,
      bypassCSP: true,
      prepare: async (browserContext) => {
        await routeBackend(browserContext);
        if (isSignedIn)
          await browserContext.addInitScript(
            ([at, record]) => {
              if (location.port !== "" && localStorage.getItem(at) === null) localStorage.setItem(at, record);
            },
            ["platform:session", sessionAt(fakeBackendUrl)] as const,
          );
      },
    },
  );
  return { ...opened, console };
}

describe.skipIf(!hasChromium)("the administration frame", () => {
  it("opens at its path for an owner, receives its links and the token, and syncs the address", async (context) => {
    const { page, errors, origin, console } = await open(context, "/admin/members?q=1");
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${console}/console/members?q=1`)).toBe(true);
    const frame = frameOf(page, `${console}/console`);
    await frame.waitForLoadState();
    await sendToShell(frame, "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await expect.poll(async () => (await receivedBy(frame, "PLATFORM_SETTINGS")).length).toBeGreaterThan(0);
    const settings = (await receivedBy(frame, "PLATFORM_SETTINGS")).at(-1);
    expect(settings).toMatchObject({ settings: { administration: { title: "Console", navigation: [link] } } });
    expect(JSON.stringify(settings)).toContain(tokensOf().access_token);
    await sendToShell(frame, "PLATFORM_URL_CHANGED", { pathname: "/console/keys", search: "", hash: "" });
    await page.waitForURL(`${origin}/admin/keys`);
    expect(await findingsEverywhere(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("is the only application that receives the administration settings", async (context) => {
    const { page, console } = await open(context, "/orders");
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${console}/orders`)).toBe(true);
    const frame = frameOf(page, `${console}/orders`);
    await frame.waitForLoadState();
    await sendToShell(frame, "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await expect.poll(async () => (await receivedBy(frame, "PLATFORM_SETTINGS")).length).toBeGreaterThan(0);
    expect((await receivedBy(frame, "PLATFORM_SETTINGS")).at(-1)?.settings).not.toHaveProperty("administration");
  });

  it("sends signed-out users to the sign-in and returns afterwards", async (context) => {
    const { page, origin } = await open(context, "/admin/members", false);
    await page.waitForURL(`${origin}/login?next=${encodeURIComponent("/admin/members")}`);
    expect(page.frames()).toHaveLength(1);
  });
});
