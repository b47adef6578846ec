import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { type MessageKey, type MessageValues, translator } from "../../../shell/client/src/i18n/translate.ts";
import { frameOf, sendToShell } from "../../support/shell/application.ts";
import type { BackendResponses } from "../../support/shell/fake-identity.ts";
import { ARABIC } from "./arabic.ts";

export type ScreenOptions = {
  isSignedIn?: boolean;
  /** the name of a variant of `screenVariants` */
  shell?: string;
  responses?: BackendResponses;
  settings?: object;
};

/** What a screen needs to bring a shell into its state. */
export type ShellStage = {
  /** shows a path of the shell, signed out or signed in */
  open: (path: string, options?: ScreenOptions) => Promise<Page>;
  /** returns a text of the shell in the language of the stage, by its key */
  t: (key: MessageKey, values?: MessageValues) => string;
  /** the origin of the application in the shell's frames */
  application: string;
};

export type Shown = {
  page: Page;
  /** the only width of the screen (px), if it has no other */
  width?: number;
  /** closes what the screen opened, so that the next screen of the same shell needs no load */
  restore?: () => Promise<unknown>;
};

/** Shows a screen, and waits for something that only this screen has. */
export type ShellScreen = (stage: ShellStage) => Promise<Page | Shown>;

/** Screens by the name of their group and their own name. */
export type ShellScreens = Record<string, Record<string, ShellScreen>>;

export type ShellLanguage = "en" | "fr" | "ar";

/** Returns the translator of a language of the shells. */
export function shellTexts(language: ShellLanguage): ShellStage["t"] {
  const builtIn = language === "ar" ? "en" : language;
  const file = new URL(`../../../shell/client/src/i18n/${builtIn}.json`, import.meta.url);
  const messages = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  return translator(language === "ar" ? { ...messages, ...ARABIC } : messages, language);
}

/** Waits for the heading of a view. Without a name, any heading will do. */
export async function waitForHeading(page: Page, name?: string): Promise<Page> {
  const options = name === undefined ? { level: 1 } : { level: 1, name };
  await page.getByRole("heading", options).first().waitFor({ state: "attached" });
  return page;
}

export const unchanged = (page: Page): Shown => ({ page, restore: async () => {} });

export const closesByEscape = (page: Page, role: "dialog" | "menu" = "dialog"): Shown => ({
  page,
  restore: async () => {
    await page.keyboard.press("Escape");
    await page.getByRole(role).waitFor({ state: "hidden" });
  },
});

/** A view with this heading. The name of the heading is a key with its values; without one, any heading will do. */
export const view =
  (path: string, name?: MessageKey | [MessageKey, MessageValues], options: ScreenOptions = {}): ShellScreen =>
  async ({ open, t }) => {
    const page = await open(path, options);
    const [key, values] = Array.isArray(name) ? name : [name];
    return unchanged(await waitForHeading(page, key === undefined ? undefined : t(key, values)));
  };

/** The account button of the user of the simulated service */
export const accountButton = (page: Page, t: ShellStage["t"]) =>
  page.getByRole("button", { name: t("account.menu", { name: "Mina Adel" }) });

/** Opens the welcome page as a signed-in user. */
export const openHome = async ({ open, t }: ShellStage, shell: string) =>
  waitForHeading(await open("/home", { shell, isSignedIn: true }), t("welcome.person", { name: "Mina Adel" }));

/** Opens a page with a visible application in its frame. */
export async function openApplication(stage: ShellStage, options: ScreenOptions = {}): Promise<Page> {
  const { open, t, application } = stage;
  const page = await open("/orders", { isSignedIn: true, ...options });
  const isApplication = (url: string) => url.startsWith(application);
  await page.locator(".frame-room iframe").first().waitFor();
  while (!page.frames().some((frame) => isApplication(frame.url()))) await page.waitForTimeout(20);
  await frameOf(page, application).waitForLoadState();
  await page.locator(".frame-cover").waitFor({ state: "detached" });
  await accountButton(page, t).waitFor({ state: "attached" });
  return page;
}

/** Sends a message from the application in the frame. */
export const sendMessage = (page: Page, { application }: ShellStage, type: string, payload: object) =>
  sendToShell(frameOf(page, application), type, payload);
