// `npm run pictures`: starts the platform on free ports and takes the screenshots of the shell for README.md, light and
// dark.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { chromiumPath } from "./support/chromium.ts";
import { startChild } from "./support/processes/children.ts";
import { findFreePort } from "./support/processes/ports.ts";
import { waitFor } from "./support/processes/wait.ts";

const folder = fileURLToPath(new URL("../docs/pictures", import.meta.url));
const email = "owner@example.com";

/** Waits for the sign-in mail and returns its code; throws after 30 s. */
async function readCode(inbox: string): Promise<string> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const mails = (await (await fetch(`${inbox}/email`)).json()) as { text: string }[];
    const code = /\b[2-9B-Z]{4}-[2-9B-Z]{4}\b/.exec(mails.at(-1)?.text ?? "")?.[0];
    if (code !== undefined) return code;
    await new Promise((wait) => setTimeout(wait, 200));
  }
  throw new Error("the sign-in mail did not arrive");
}

async function signIn(page: Page, shell: string, inbox: string): Promise<void> {
  await page.goto(`${shell}/orders`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByLabel("Sign-in code").fill(await readCode(inbox));
  await page.getByRole("button", { name: /^Account of/ }).waitFor();
}

/** Takes a screenshot in a colour scheme after the embedded application has rendered. */
async function takePicture(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  const application = page.frameLocator("iframe");
  await application.locator("h1").first().waitFor();
  await application.locator("body").evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(folder, `shell-${colorScheme}.png`) });
}

const state = mkdtempSync(join(tmpdir(), "platform-pictures-"));
const ports: Record<string, number> = {};
for (const name of ["port", "shell-port", "mail-port", "smtp-port"]) ports[name] = await findFreePort();
const options = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, String(port)]);
const platform = startChild("scripts/start.ts", [...options, "--state", state], () => {});
const shell = `http://localhost:${ports["shell-port"]}`;
try {
  await waitFor("the shell", platform, async () => (await fetch(shell)).ok);
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--headless", "--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage({ viewport: { width: 1200, height: 480 }, locale: "en-GB" });
  await signIn(page, shell, `http://127.0.0.1:${ports["mail-port"]}`);
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) await takePicture(page, colorScheme);
  await browser.close();
} finally {
  await platform.stop();
  rmSync(state, { recursive: true, force: true });
}
