// Renders every design, default mail and preset as images in .generated/designs: light and dark, 375 and 700 px, English and
// French, with and without company branding. An argument limits the output to sheets whose name begins with it:
// npm run designs default-fr
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { chromiumPath } from "./support/chromium.ts";
import { loadModule } from "./support/load.ts";
import { drawLibraryPictures, PICTURE_FOLDER } from "./support/mail-pictures/draw.ts";

type SampleMail = { name: string; language: string; html: string };
type RenderOptions = { branding: object } | { replyTo: string };
type SampleModule = {
  SAMPLE_BRANDING: object;
  SAMPLE_LOGO_BRANDING: object;
  defaultMails: (options: RenderOptions) => SampleMail[];
  designMails: (options: RenderOptions) => SampleMail[];
};

type PresetSampleModule = { presetMails: (options: RenderOptions) => SampleMail[] };

const folder = fileURLToPath(new URL("../.generated/designs", import.meta.url));
const samples = await loadModule<SampleModule>(
  fileURLToPath(new URL("../workers/email/content/library/samples.ts", import.meta.url)),
);

const { presetMails } = await loadModule<PresetSampleModule>(
  fileURLToPath(new URL("../workers/email/intake/event-types/preset-samples.ts", import.meta.url)),
);

/** Widths of a mail in px, and how many mails one image shows side by side. */
const WIDTHS = [
  { width: 375, perSheet: 8 },
  { width: 700, perSheet: 4 },
];
const SCHEMES = ["light", "dark"] as const;

/** Returns an HTML page that shows mails and their names side by side. `width` is the width of each mail in px. */
function sheetOf(mails: readonly SampleMail[], width: number): string {
  const cell = ({ name, html }: SampleMail) =>
    `<figure><figcaption>${name}</figcaption><iframe width="${width}" height="400" srcdoc="${html.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe></figure>`;
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;padding:16px;display:flex;gap:16px;background:#8b8b90;align-items:start;font:12px sans-serif}
figure{margin:0}iframe{border:0;display:block}figcaption{padding:0 0 6px;color:#fff}</style>${mails.map(cell).join("")}`;
}

async function draw(page: Page, name: string, mails: readonly SampleMail[], width: number): Promise<void> {
  await page.setViewportSize({ width: mails.length * (width + 16) + 16, height: 600 });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.setContent(sheetOf(mails, width), { waitUntil: "load" });
    await page.evaluate(() => {
      for (const frame of document.querySelectorAll("iframe")) {
        frame.style.height = `${frame.contentDocument?.documentElement.scrollHeight ?? 0}px`;
      }
    });
    await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  }
}

/** Yields the name, mails and mail width of each sheet. */
function* sheets(): Generator<[string, SampleMail[], number]> {
  const branding = samples.SAMPLE_BRANDING;
  // The sample branding has its own contact text, so it needs no reply address.
  const replyTo = "help@aster.example";
  const kinds = [
    ["default", samples.defaultMails({ replyTo })],
    ["default-branded", samples.defaultMails({ branding })],
    ["design", samples.designMails({ replyTo })],
    // These have the logo, the others the monogram.
    ["design-branded", samples.designMails({ branding: samples.SAMPLE_LOGO_BRANDING })],
    ["preset", presetMails({ replyTo })],
    ["preset-branded", presetMails({ branding })],
  ] as const;
  for (const [kind, mails] of kinds) {
    for (const language of ["en", "fr"]) {
      const mailsInLanguage = mails.filter((mail) => mail.language === language);
      for (const { width, perSheet } of WIDTHS) {
        for (let start = 0; start < mailsInLanguage.length; start += perSheet) {
          yield [
            `${kind}-${language}-${String(start).padStart(2, "0")}`,
            mailsInLanguage.slice(start, start + perSheet),
            width,
          ];
        }
      }
    }
  }
}

const prefix = process.argv[2] ?? "";
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await drawLibraryPictures();
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage();
  await page.route("https://mail.example.com/static/library/pictures/*", (route) =>
    route.fulfill({ path: join(PICTURE_FOLDER, basename(new URL(route.request().url()).pathname)) }),
  );
  // The products and stories of the samples show pictures of the library.
  await page.route("https://shop.example.com/pictures/*", (route) =>
    route.fulfill({ path: join(PICTURE_FOLDER, `studio-${basename(new URL(route.request().url()).pathname)}`) }),
  );
  for (const [name, mails, width] of sheets()) {
    if (name.startsWith(prefix)) await draw(page, name, mails, width);
  }
} finally {
  await browser.close();
}
console.log(folder);
