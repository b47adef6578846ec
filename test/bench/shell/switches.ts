import type { Browser, Page } from "playwright-core";
import { medianOf, type Row } from "./table.ts";

const times = 8;
/** longer than the shell's hover delay plus the loading time of the application */
const hoverMs = 1_000;

/**
 * Measures the time from the click on an item until its frame is painted, for kept frames and for prefetched frames.
 */
export async function measureSwitches(browser: Browser, site: string): Promise<Row[]> {
  const keptAlive: number[] = [];
  const prefetched: number[] = [];
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await openWith(page, `${site}/orders`);
  await switchTo(page, "Reports");
  for (let run = 0; run < times; run += 1) keptAlive.push(await switchTo(page, run % 2 === 0 ? "Orders" : "Reports"));
  for (let run = 0; run < times; run += 1) {
    await openWith(page, `${site}/orders`);
    await page.getByRole("link", { name: "Reports" }).first().hover();
    await page.waitForTimeout(hoverMs);
    prefetched.push(await switchTo(page, "Reports"));
  }
  await context.close();
  return [
    { name: "switch to a kept frame, median", value: medianOf(keptAlive), target: 50, unit: "ms" },
    { name: "switch to a kept frame, slowest", value: Math.max(...keptAlive), target: 50, unit: "ms" },
    { name: "switch to a prefetched frame, median", value: medianOf(prefetched), target: 300, unit: "ms" },
    { name: "switch to a prefetched frame, slowest", value: Math.max(...prefetched), target: 300, unit: "ms" },
  ];
}

async function openWith(page: Page, url: string) {
  await page.goto(url);
  await page.locator(".frame-room iframe").first().waitFor();
  await page.locator(".frame-cover").waitFor({ state: "detached" });
}

async function switchTo(page: Page, label: string): Promise<number> {
  await page.evaluate((name) => {
    const switched = new Promise<number>((done) => {
      const poll = (clickedAt: number) => {
        const frame = document.querySelector<HTMLIFrameElement>(".frame-room iframe:not(.kept)");
        const isShown = frame?.title.startsWith(name) === true && document.querySelector(".frame-cover") === null;
        if (!isShown) return void requestAnimationFrame(() => poll(clickedAt));
        // A timer that starts in the next animation frame fires after that frame is painted.
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - clickedAt)));
      };
      addEventListener("click", ({ timeStamp }) => poll(timeStamp), { capture: true, once: true });
    });
    (window as unknown as { switched: Promise<number> }).switched = switched;
  }, label);
  await page.getByRole("link", { name: label }).first().click();
  return page.evaluate(() => (window as unknown as { switched: Promise<number> }).switched);
}
