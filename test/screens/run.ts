// `npm run screens`: draws every page and state of the platform into .generated/screens, with the index page index.html. An
// argument limits the output to screens whose group or name begins with it: npm run screens -- sign-in. `npm run pictures` draws only
// the pictures of the documents, into docs/pictures.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import type { Cleanup } from "../support/cli/project.ts";
import { launchChromium } from "../support/platform/chromium.ts";
import { DOCUMENT_PICTURES } from "./document-pictures.ts";
import { draw, fileOf, LOOKS, type Look, type Picture, type Screen } from "./draw.ts";
import { hostedGroups } from "./hosted/hosted.ts";
import { type HostedLanguage, startHosted } from "./hosted/stage.ts";
import { overviewPage } from "./overview.ts";
import { ARABIC_SCREENS } from "./shell/arabic.ts";
import { openStage, type Shells, shellScreens, startShells } from "./shell/shells.ts";
import type { ShellLanguage, Shown } from "./shell/stage.ts";

const folder = fileURLToPath(new URL("../../.generated/screens", import.meta.url));
const LANGUAGES = ["en", "fr"] as const;

const documentFolder = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const { positionals: prefixes, values } = parseArgs({
  allowPositionals: true,
  options: { documents: { type: "boolean", default: false } },
});
const isWanted = (group: string, name: string) =>
  values.documents
    ? DOCUMENT_PICTURES.some((picture) => picture.group === group && picture.name === name)
    : prefixes.length === 0 || prefixes.some((prefix) => group.startsWith(prefix) || name.startsWith(prefix));
/** Returns the looks in which a screen is drawn, by default all of its language. */
const looksOf = ({ group, name, language }: Screen): readonly Look[] =>
  values.documents
    ? DOCUMENT_PICTURES.filter((picture) => picture.group === group && picture.name === name && language === "en")
    : LOOKS[language];
const wantedOf = <T>(group: string, screens: Record<string, T>) =>
  Object.entries(screens).filter(([name]) => isWanted(group, name));

const pictures: Picture[] = [];
const failures: string[] = [];

/** Draws a screen. A failure is reported at the end and does not stop the other screens. */
async function drawScreen(screen: Screen, show: () => Promise<Shown>, leave: (shown: Shown) => unknown): Promise<void> {
  try {
    const wanted = looksOf(screen);
    if (wanted.length === 0) return;
    const shown = await show();
    const looks = wanted.filter(({ width }) => shown.width === undefined || shown.width === width);
    pictures.push(...(await draw(shown.page, screen, looks, folder)));
    await leave(shown);
  } catch (error) {
    failures.push(`${screen.group}, ${screen.name}, ${screen.language}: ${error}`);
  }
}

async function drawShells(browser: Browser, shells: Shells, language: ShellLanguage): Promise<void> {
  const { stage, shared } = openStage(browser, shells, language);
  for (const [group, screens] of Object.entries(shellScreens)) {
    for (const [name, screen] of wantedOf(group, screens)) {
      if (language === "ar" && !ARABIC_SCREENS[group]?.includes(name)) continue;
      const show = async (): Promise<Shown> => {
        const result = await screen(stage);
        return "page" in result ? result : { page: result };
      };
      await drawScreen({ group, name, language }, show, async ({ page, restore }) => {
        await restore?.();
        shared.return(page, restore !== undefined);
      });
    }
  }
}

async function drawHosted(browser: Browser, cleanup: Cleanup): Promise<void> {
  const groups = hostedGroups.map((group) => ({ ...group, wanted: wantedOf(group.name, group.screens) }));
  if (groups.every(({ wanted }) => wanted.length === 0)) return;
  const stages = await startHosted(browser, cleanup);
  for (const { name: group, prepare, wanted } of groups) {
    if (wanted.length === 0) continue;
    await prepare?.(stages.en);
    const drawLanguage = async (language: HostedLanguage) => {
      for (const [name, screen] of wanted) {
        const show = async () => ({ page: await screen(stages[language]) });
        await drawScreen({ group, name, language }, show, ({ page }: { page: Page }) => page.context().close());
      }
    };
    await Promise.all(LANGUAGES.map(drawLanguage));
  }
}

/** Copies the pictures of the documents to their folder. */
function copyDocumentPictures(): void {
  for (const { file, group, name, ...look } of DOCUMENT_PICTURES)
    copyFileSync(join(folder, fileOf({ group, name, language: "en" }, look)), join(documentFolder, file));
}

/** Writes the index page with these pictures and those of earlier runs, because a run may be limited to some screens. */
function writeOverview(): void {
  const record = `${folder}/pictures.json`;
  const isNew = new Set(pictures.map(({ file }) => file));
  const earlier = existsSync(record) ? (JSON.parse(readFileSync(record, "utf8")) as Picture[]) : [];
  const all = [...earlier.filter(({ file }) => !isNew.has(file)), ...pictures];
  const order = [...Object.keys(shellScreens), ...hostedGroups.map(({ name }) => name)];
  all.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
  writeFileSync(record, JSON.stringify(all));
  writeFileSync(`${folder}/index.html`, overviewPage(all));
}

const ends: (() => unknown)[] = [];
const cleanup: Cleanup = { onTestFinished: (end) => void ends.push(end) };
const started = Date.now();
try {
  if (prefixes.length === 0 && !values.documents) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium();
  ends.push(() => browser.close());
  if (Object.entries(shellScreens).some(([group, screens]) => wantedOf(group, screens).length > 0)) {
    const shells = await startShells(cleanup);
    await Promise.all(([...LANGUAGES, "ar"] as const).map((language) => drawShells(browser, shells, language)));
  }
  await drawHosted(browser, cleanup);
  if (values.documents) copyDocumentPictures();
  else writeOverview();
} finally {
  for (const end of ends.toReversed()) await end();
}
for (const failure of failures) console.error(`✗ ${failure}`);
const seconds = Math.round((Date.now() - started) / 1000);
const target = values.documents ? "docs/pictures" : ".generated/screens/index.html";
console.log(`✓ ${pictures.length} pictures in ${seconds} s: ${target}`);
process.exit(failures.length === 0 ? 0 : 1);
