import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CDPSession, Page } from "playwright-core";

export type Language = "en" | "fr" | "ar";
export type Scheme = "light" | "dark";
/** One picture of a screen. The size is in px; the height depends on the width unless it is given. */
export type Look = { width: number; scheme: Scheme; height?: number };
export type Screen = { group: string; name: string; language: Language };
export type Picture = Look & Screen & { file: string };

/** Heights of the window by its width, in px */
const HEIGHTS: Record<number, number> = { 375: 812, 768: 1024, 1440: 900 };

/** The looks of a language: English has every width, French shows where its longer texts need room. */
export const LOOKS: Record<Language, readonly Look[]> = {
  en: [
    { width: 375, scheme: "light" },
    { width: 375, scheme: "dark" },
    { width: 768, scheme: "light" },
    { width: 1440, scheme: "light" },
    { width: 1440, scheme: "dark" },
  ],
  fr: [
    { width: 375, scheme: "light" },
    { width: 1440, scheme: "dark" },
  ],
  ar: [
    { width: 375, scheme: "light" },
    { width: 1440, scheme: "dark" },
  ],
};

const slug = (text: string) => text.toLowerCase().replace(/[^\p{L}\d]+/gu, "-");

/** Returns the path of a picture below the folder of all pictures. */
export const fileOf = ({ group, name, language }: Screen, { width, scheme }: Look): string =>
  `${slug(group)}/${slug(name)}-${language}-${width}-${scheme}.png`;

/** Changes whether the window belongs to a touch screen. Phones have one: pages show larger targets there and no hints of keys. */
async function setTouch(page: Page, devTools: CDPSession, isTouch: boolean): Promise<void> {
  await devTools.send("Emulation.setTouchEmulationEnabled", { enabled: isTouch });
  await page.waitForFunction((expected) => matchMedia("(pointer: coarse)").matches === expected, isTouch);
}

/** Makes the window of a touch screen as high as its page, because a full-page screenshot would end the emulation of touch. */
async function fitWindow(page: Page, devTools: CDPSession, width: number): Promise<void> {
  // Pages that center their content grow with the window, each time by half as much.
  for (let round = 0; round < 4; round++) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (height <= (page.viewportSize()?.height ?? 0)) return;
    await page.setViewportSize({ width, height });
    await setTouch(page, devTools, true);
  }
}

/** Draws a page in these looks below `folder`, after its fonts and images are loaded and its animations have ended. */
export async function draw(page: Page, screen: Screen, looks: readonly Look[], folder: string): Promise<Picture[]> {
  const pictures: Picture[] = [];
  const devTools = await page.context().newCDPSession(page);
  for (const look of looks) {
    const file = fileOf(screen, look);
    await page.setViewportSize({ width: look.width, height: look.height ?? HEIGHTS[look.width] ?? 900 });
    const isTouch = look.width < 768;
    await setTouch(page, devTools, isTouch);
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: "reduce" });
    await page.evaluate(async () => {
      await document.fonts.ready;
      await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null)));
      // A picture with one image per colour scheme shows the former one until the other is loaded.
      const sources = [...document.querySelectorAll("source")].filter(({ media }) => matchMedia(media).matches);
      for (const { srcset } of sources) await Object.assign(new Image(), { src: srcset }).decode();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (isTouch) await fitWindow(page, devTools, look.width);
    await page.screenshot({ path: join(folder, file), fullPage: !isTouch });
    pictures.push({ ...screen, file, ...look });
  }
  await setTouch(page, devTools, false);
  await devTools.detach();
  return pictures;
}
