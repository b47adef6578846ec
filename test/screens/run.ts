// `npm run screens`: draws every page and state of the platform into .generated/screens, with the index page index.html. An
// argument limits the output to screens whose group or name begins with it: npm run screens -- sign-in
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launchChromium } from "../support/platform/chromium.ts";
import { draw, LOOKS, type Picture } from "./draw.ts";
import { overviewPage } from "./overview.ts";
import { openStage, type Shells, shellScreens, startShells } from "./shell/shells.ts";
import type { Shown } from "./shell/stage.ts";

const folder = fileURLToPath(new URL("../../.generated/screens", import.meta.url));
const { positionals: prefixes } = parseArgs({ allowPositionals: true });
const isWanted = (group: string, name: string) =>
  prefixes.length === 0 || prefixes.some((prefix) => group.startsWith(prefix) || name.startsWith(prefix));

const pictures: Picture[] = [];
const failures: string[] = [];

async function drawShells(browser: Browser, shells: Shells, language: "en" | "fr"): Promise<void> {
  const { stage, shared } = openStage(browser, shells, language);
  for (const [group, screens] of Object.entries(shellScreens)) {
    for (const [name, screen] of Object.entries(screens)) {
      if (!isWanted(group, name)) continue;
      try {
        const result = await screen(stage);
        const { page, width, restore }: Shown = "page" in result ? result : { page: result };
        const looks = LOOKS[language].filter((look) => width === undefined || look.width === width);
        pictures.push(...(await draw(page, { group, name, language }, looks, folder)));
        await restore?.();
        shared.return(page, restore !== undefined);
      } catch (error) {
        failures.push(`${group}, ${name}, ${language}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}

const ends: (() => unknown)[] = [];
const started = Date.now();
try {
  if (prefixes.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium();
  ends.push(() => browser.close());
  const shells = await startShells({ onTestFinished: (end) => void ends.push(end) });
  await Promise.all([drawShells(browser, shells, "en"), drawShells(browser, shells, "fr")]);
  writeFileSync(`${folder}/index.html`, overviewPage(pictures));
} finally {
  for (const end of ends.toReversed()) await end();
}
for (const failure of failures) console.error(`✗ ${failure}`);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(`✓ ${pictures.length} pictures in ${seconds} s: .generated/screens/index.html`);
process.exit(failures.length === 0 ? 0 : 1);
