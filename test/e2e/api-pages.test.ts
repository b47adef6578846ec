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

/** Opens a page that can reach only the server. `failedRequests` collects blocked requests and error responses. */
async function openOffline(): Promise<{ page: Page; failedRequests: string[]; errors: string[] }> {
  const { page, context, errors } = await openPage(browser);
  const failedRequests: string[] = [];
  await context.route(
    (url) => url.origin !== platform.url && !["data:", "blob:"].includes(url.protocol),
    (route) => {
      failedRequests.push(route.request().url());
      return route.abort();
    },
  );
  page.on("response", (response) => {
    if (response.status() >= 400) failedRequests.push(`${response.status()} ${response.url()}`);
  });
  return { page, failedRequests, errors };
}

const countOperations = async () => {
  const document = await (await fetch(`${platform.url}/hosting/api/schema/`)).json();
  return Object.values((document as { paths: Record<string, object> }).paths).flatMap((item) => Object.keys(item))
    .length;
};

/** Waits until a page shows every operation. */
async function expectOperations(page: Page, operation: string): Promise<void> {
  const count = await countOperations();
  expect(count).toBeGreaterThan(10);
  await page.locator(operation).first().waitFor();
  await expect.poll(() => page.locator(operation).count()).toBeGreaterThanOrEqual(count);
}

async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
}

// One service is enough, because all services share the pages and other tests check their documents. hosting has the fewest
// operations, so its pages also respond quickly on a slow machine.
describe.skipIf(!hasChromium)("the API documentation pages of a service, without another server", () => {
  it("show every operation at /api/docs, with example errors, and send the request of an operation", async () => {
    const { page, failedRequests, errors } = await openOffline();
    await page.goto(`${platform.url}/hosting/api/docs`);
    await expectOperations(page, ".opblock");
    await screenshot(page, "docs");
    const health = page.locator("#operations-Service-getHealth");
    await health.locator(".opblock-summary-control").click();
    await health.getByText("internal_error").first().waitFor();
    await health.getByRole("button", { name: "Try it out" }).click();
    const responsePromise = page.waitForResponse(`${platform.url}/hosting/api/v1/health`);
    await health.getByRole("button", { name: "Execute" }).click();
    expect((await responsePromise).status()).toBe(200);
    expect(failedRequests).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("show every operation at /api/docs/redoc/, with an example request", async () => {
    const { page, failedRequests, errors } = await openOffline();
    await page.goto(`${platform.url}/hosting/api/docs/redoc/#operation/postActionsRules`);
    await expectOperations(page, "[data-section-id^='operation/'], [id^='operation/']");
    await page.locator("[id='operation/postActionsRules']").getByText("Deploy bot").first().waitFor();
    await screenshot(page, "redoc");
    expect(failedRequests).toEqual([]);
    expect(errors).toEqual([]);
  });
});
