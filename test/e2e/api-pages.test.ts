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

const countOperations = async (service: string) => {
  const document = await (await fetch(`${platform.url}/${service}/api/schema/`)).json();
  return Object.values((document as { paths: Record<string, object> }).paths).flatMap((item) => Object.keys(item))
    .length;
};

describe.skipIf(!hasChromium)("the API documentation pages of a service, without another server", () => {
  it.each([
    // One service is enough, because all services share the pages and other tests check their documents.
    ["hosting", "/api/docs", ".opblock"],
    ["hosting", "/api/docs/redoc/", "[data-section-id^='operation/'], [id^='operation/']"],
  ])("show every operation of %s at %s", async (service, path, operation) => {
    const { page, failedRequests, errors } = await openOffline();
    await page.goto(`${platform.url}/${service}${path}`);
    const count = await countOperations(service);
    expect(count).toBeGreaterThan(10);
    await page.locator(operation).first().waitFor();
    await expect.poll(() => page.locator(operation).count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/${service}-${path.split("/").filter(Boolean).at(-1)}.png`,
      });
    expect(failedRequests).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("send the request of an operation and show example responses and errors", async () => {
    const { page, failedRequests, errors } = await openOffline();
    await page.goto(`${platform.url}/identity/api/docs/`);
    const health = page.locator("#operations-Service-getHealth");
    await health.locator(".opblock-summary-control").click();
    await health.getByText("internal_error").first().waitFor();
    await health.getByRole("button", { name: "Try it out" }).click();
    const responsePromise = page.waitForResponse(`${platform.url}/identity/api/v1/health`);
    await health.getByRole("button", { name: "Execute" }).click();
    expect((await responsePromise).status()).toBe(200);
    await page.goto(`${platform.url}/identity/api/docs/redoc/#operation/patchUser`);
    await page.locator("[id='operation/patchUser']").getByText("Mina Laurent").first().waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/operation.png` });
    expect(failedRequests).toEqual([]);
    expect(errors).toEqual([]);
  });
});
