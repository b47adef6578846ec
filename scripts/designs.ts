// Draws every design and every default mail as pictures into .generated/designs: light and dark, 375 and 700 px, English and
// French, and with the branding of a company. One sheet for each set and for the default mails, sixteen mails side by side.
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { loadModule } from "./support/load.ts";

type SampleMail = { name: string; language: string; html: string };
type SampleModule = {
  SAMPLE_BRANDING: object;
  defaultMails: () => SampleMail[];
  designMails: (options?: { branding: object }) => SampleMail[];
};

const folder = fileURLToPath(new URL("../.generated/designs", import.meta.url));
const samples = await loadModule<SampleModule>(
  fileURLToPath(new URL("../workers/email/library/samples.ts", import.meta.url)),
);

const WIDTHS = [375, 700];
const SCHEMES = ["light", "dark"] as const;
const PER_SHEET = 4;

/** Mails side by side at a width, under their names. */
function sheetOf(mails: readonly SampleMail[], width: number): string {
  const cell = ({ name, html }: SampleMail) =>
    `<figure><figcaption>${name}</figcaption><iframe width="${width}" height="400" srcdoc="${html.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe></figure>`;
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;padding:16px;display:flex;gap:16px;background:#8b8b90;align-items:start;font:12px sans-serif}
figure{margin:0}iframe{border:0;display:block}figcaption{padding:0 0 6px;color:#fff}</style>${mails.map(cell).join("")}`;
}

async function draw(page: Page, name: string, mails: readonly SampleMail[]): Promise<void> {
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width: mails.length * (width + 16) + 16, height: 800 });
      await page.setContent(sheetOf(mails, width));
      await page.evaluate(() => {
        for (const frame of document.querySelectorAll("iframe")) {
          frame.style.height = `${frame.contentDocument?.documentElement.scrollHeight ?? 0}px`;
        }
      });
      await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true });
    }
  }
}

function* sheets(): Generator<[string, SampleMail[]]> {
  const kinds = [
    ["default", samples.defaultMails()],
    ["design", samples.designMails()],
    ["branded", samples.designMails({ branding: samples.SAMPLE_BRANDING })],
  ] as const;
  for (const [kind, mails] of kinds) {
    for (const language of ["en", "fr"]) {
      const own = mails.filter((mail) => mail.language === language);
      for (let start = 0; start < own.length; start += PER_SHEET) {
        const part = own.slice(start, start + PER_SHEET);
        yield [`${kind}-${language}-${String(start).padStart(2, "0")}`, part];
      }
    }
  }
}

const only = process.argv[2] ?? "";
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  for (const [name, mails] of sheets()) {
    if (name.startsWith(only)) await draw(page, name, mails);
  }
} finally {
  await browser.close();
}
console.log(folder);
