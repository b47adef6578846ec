import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { hostedGroups } from "../screens/hosted/hosted.ts";
import { type HostedStage, startHosted } from "../screens/hosted/stage.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { findingsEverywhere } from "../support/shell/axe.ts";

let browser: Browser;
let stages: Record<"en" | "fr", HostedStage>;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await launchChromium();
  stages = await startHosted(browser, { onTestFinished: (end) => void ends.push(end) });
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
});

describe.skipIf(!hasChromium)(
  "accessibility of the services’ pages at 1440 px in light mode and 375 px in dark mode",
  () => {
    describe.for(hostedGroups)("$name", ({ prepare, screens }) => {
      beforeAll(() => prepare?.(stages.en));

      it.concurrent.for(Object.entries(screens))("has no axe violations: %s", async ([, screen], context) => {
        const page = await screen(stages.fr);
        context.expect(await findingsEverywhere(page)).toEqual([]);
        await page.context().close();
      });
    });
  },
);
