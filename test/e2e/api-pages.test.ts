import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  platform = await sharePlatform();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

/** A page that reaches the server and nothing else; `missed` collects what it asked of others, or in vain. */
async function openOffline(): Promise<{ page: Page; missed: string[]; errors: string[] }> {
  const { page, context, errors } = await openPage(browser);
  const missed: string[] = [];
  await context.route(
    (url) => url.origin !== platform.url && !["data:", "blob:"].includes(url.protocol),
    (route) => {
      missed.push(route.request().url());
      return route.abort();
    },
  );
  page.on("response", (response) => {
    if (response.status() >= 400) missed.push(`${response.status()} ${response.url()}`);
  });
  return { page, missed, errors };
}

const operationsIn = async (service: string) => {
  const document = await (await fetch(`${platform.url}/${service}/api/schema/`)).json();
  return Object.values((document as { paths: Record<string, object> }).paths).flatMap((item) => Object.keys(item))
    .length;
};

describe.skipIf(!hasChromium)("the pages of the API, with nothing but the service in reach", () => {
  it.each([
    // Each kind of page once: the services share them, and their documents are checked without a browser.
    ["hosting", "/api/docs", ".opblock"],
    ["hosting", "/api/docs/redoc/", "[data-section-id^='operation/'], [id^='operation/']"],
  ])("shows every operation of %s at %s", async (service, path, operation) => {
    const { page, missed, errors } = await openOffline();
    await page.goto(`${platform.url}/${service}${path}`);
    const count = await operationsIn(service);
    expect(count).toBeGreaterThan(10);
    await page.locator(operation).first().waitFor();
    await expect.poll(() => page.locator(operation).count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/${service}-${path.split("/").filter(Boolean).at(-1)}.png`,
      });
    expect(missed).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("makes the call of an operation from its page, and shows what a refusal looks like", async () => {
    const { page, missed, errors } = await openOffline();
    await page.goto(`${platform.url}/identity/api/docs/`);
    const health = page.locator("#operations-Service-getHealth");
    await health.locator(".opblock-summary-control").click();
    await health.getByText("internal_error").first().waitFor();
    await health.getByRole("button", { name: "Try it out" }).click();
    const answered = page.waitForResponse(`${platform.url}/identity/api/v1/health`);
    await health.getByRole("button", { name: "Execute" }).click();
    expect((await answered).status()).toBe(200);
    await page.goto(`${platform.url}/identity/api/docs/redoc/#operation/patchUser`);
    await page.locator("[id='operation/patchUser']").getByText("Mina Laurent").first().waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/operation.png` });
    expect(missed).toEqual([]);
    expect(errors).toEqual([]);
  });
});
