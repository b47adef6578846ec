import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, shellScreens, startShells } from "../screens/shell/shells.ts";
import type { Shown } from "../screens/shell/stage.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { findingsEverywhere } from "../support/shell/axe.ts";

let browser: Browser;
let opened: ReturnType<typeof openStage>;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  const shells = await startShells({ onTestFinished: (end) => void ends.push(end) });
  browser = await launchChromium();
  opened = openStage(browser, shells, "en");
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
});

describe.skipIf(!hasChromium)(
  "accessibility of every screen at 1440 px in light mode and at 375 px in dark mode",
  () => {
    describe.for(Object.entries(shellScreens))("%s", ([, screens]) => {
      it.for(Object.entries(screens))("has no axe violations: %s", async ([, screen]) => {
        const { stage, shared } = opened;
        const result = await screen(stage);
        const { page, width, restore }: Shown = "page" in result ? result : { page: result };
        expect(await findingsEverywhere(page, width)).toEqual([]);
        await restore?.();
        shared.return(page, restore !== undefined);
      });
    });
  },
);
