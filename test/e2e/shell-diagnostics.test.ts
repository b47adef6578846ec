import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { fakeBackendUrl, routeBackend } from "../support/shell/fake-identity.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const platform = { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link"] } };
const project = { type: "supabase", url: fakeBackendUrl, publishableKey: "key", login: { methods: ["magic_link"] } };

describe.skipIf(!hasChromium)("the diagnostics page", () => {
  it.for([
    ["platform", platform, "/api/v1/health", 200, "Répond"],
    ["platform", platform, "/api/v1/health", 503, "Répond par une erreur (503)"],
    ["supabase", project, "/auth/v1/settings", 200, "Répond"],
  ] as const)("shows the health of the %s service: %o %s %i", async ([, backend, path, status, text], context) => {
    const requests: string[] = [];
    const { page } = await openShell(
      context,
      browser,
      { navigation: [], backend },
      {
        path: "/__diagnostics",
        locale: "fr-FR",
        prepare: (browserContext) => {
          browserContext.on("request", (request) => requests.push(request.url()));
          return routeBackend(browserContext, { [path]: { status, body: {} } });
        },
      },
    );
    await page.locator("dd", { hasText: fakeBackendUrl }).getByText(text).first().waitFor();
    expect(requests).toContain(fakeBackendUrl + path);
    expect(requests).not.toContain(`${fakeBackendUrl}/`);
    await page.getByText("développement, web", { exact: true }).waitFor();
  });

  it.for([
    [200, /^Answers · /],
    [404, /^Answers with an error \(404\) · /],
  ] as const)("shows the health of the storage by its status: %i", async ([status, text], context) => {
    const { page } = await openShell(
      context,
      browser,
      { navigation: [], storage: { url: fakeBackendUrl } },
      {
        path: "/__diagnostics",
        prepare: (browserContext) =>
          routeBackend(browserContext, { "/storage/v1/health": { status, body: { status: "ok", version: "1.0.0" } } }),
      },
    );
    await page.locator("dd", { hasText: fakeBackendUrl }).getByText(text).first().waitFor();
  });
});
