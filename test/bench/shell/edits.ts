import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { type Addresses, configText } from "./project.ts";
import { medianOf, type Row } from "./table.ts";

const times = 8;

/** Measures the time from a write of the configuration until an open page shows the change. */
export async function measureEdits(browser: Browser, url: string, config: string, to: Addresses): Promise<Row[]> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/home`);
  await page.getByRole("link", { name: "Home" }).first().waitFor();
  // The page connects to the event stream after it has loaded.
  await page.waitForTimeout(1_000);
  const durations: number[] = [];
  for (let run = 1; run <= times; run += 1) {
    const label = `Start ${run}`;
    await page.evaluate((expected) => {
      const shown = new Promise<number>((done) => {
        const poll = () => {
          const links = [...document.querySelectorAll("nav a")];
          if (links.some(({ textContent }) => textContent?.includes(expected))) setTimeout(() => done(Date.now()));
          else requestAnimationFrame(poll);
        };
        poll();
      });
      (window as unknown as { shown: Promise<number> }).shown = shown;
    }, label);
    const writtenAt = Date.now();
    writeFileSync(config, configText(to, label));
    const shownAt = await page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown);
    durations.push(shownAt - writtenAt);
    await page.waitForTimeout(300);
  }
  await context.close();
  return [
    { name: "edit until a page shows it, median", value: medianOf(durations), target: 500, unit: "ms" },
    { name: "edit until a page shows it, slowest", value: Math.max(...durations), target: 500, unit: "ms" },
  ];
}
