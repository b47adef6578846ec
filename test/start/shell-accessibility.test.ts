import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { builtShell, isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { frameOf, sendToShell, serveApplication } from "../support/shell/application.ts";
import { findingsEverywhere } from "../support/shell/axe.ts";
import { type BackendResponses, fakeBackendUrl, sessionAt, tokensOf } from "../support/shell/fake-identity.ts";
import { screenConfig, screenVariants } from "../support/shell/screen-config.ts";
import { SharedPage } from "../support/shell/shared-page.ts";

const storedSession = sessionAt(fakeBackendUrl);

let browser: Browser;
let screenPage: SharedPage;
let application = "";
const ends: (() => unknown)[] = [];
const context = { onTestFinished: (end: () => unknown) => void ends.push(end) };
/** URLs of the shells, by the name of their variant */
const shells: Record<string, string> = {};

beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  // The shell is copied, because another test's build replaces the original.
  const built = join(makeProject(context, {}), "shell");
  cpSync(builtShell, built, { recursive: true });
  application = await serveApplication(context);
  const config = screenConfig(application);
  const shell = await readShellFiles({ PLATFORM_SHELL: built });
  for (const [name, overrides] of Object.entries(screenVariants(config))) {
    const root = makeProject(context, {
      "platform.config.json": JSON.stringify({ ...config, ...overrides }),
      "static/panel.html": "<!doctype html><title>Panel</title><p>Welcome",
    });
    const { port } = await startServer(context, root, { shell });
    shells[name] = `http://localhost:${port}`;
  }
  browser = await launchChromium();
  screenPage = new SharedPage(browser);
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
});

type Options = { isSignedIn?: boolean; shell?: string; responses?: BackendResponses; settings?: object };
type Open = (path: string, options?: Options) => Promise<Page>;
type Shown = {
  page: Page;
  /** the width to check (px), if the default widths do not apply */
  width?: number;
  /** closes what the screen opened, so that the next screen of the same shell needs no load */
  restore?: () => Promise<unknown>;
};
/** Shows a screen, and waits for something that only this screen has. */
type Screen = (open: Open) => Promise<Page | Shown>;

/** Shows a screen of the shell, signed out or signed in. */
const open: Open = (path, { isSignedIn = false, shell = "sidebar", responses, settings } = {}) => {
  const storedEntries = {
    ...(isSignedIn && { "platform:session": storedSession }),
    ...(settings && { "platform:settings": JSON.stringify({ v: 1, ...settings }) }),
  };
  const url = shells[shell] + path;
  // The sign-in reads its address only when it loads.
  const needsLoad = path.startsWith("/login");
  return needsLoad ? screenPage.open(url, storedEntries, responses) : screenPage.show(url, storedEntries, responses);
};

const heading = async (page: Page, name: string | RegExp) => {
  const headings = page.getByRole("heading", { level: 1, name });
  await headings.first().waitFor({ state: "attached" });
  return page;
};
const unchanged = (page: Page): Shown => ({ page, restore: async () => {} });
const closesByEscape = (page: Page, role: "dialog" | "menu" = "dialog"): Shown => ({
  page,
  restore: async () => {
    await page.keyboard.press("Escape");
    await page.getByRole(role).waitFor({ state: "hidden" });
  },
});
const view =
  (path: string, name: string | RegExp, options: Options = {}): Screen =>
  async (visit) =>
    unchanged(await heading(await visit(path, options), name));

/** Opens a page with a visible application in its frame. */
async function withApplication(visit: Open, options: Options = {}): Promise<Page> {
  const page = await visit("/orders", { isSignedIn: true, ...options });
  await page.locator(".frame-room iframe").first().waitFor();
  await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(application))).toBe(true);
  await frameOf(page, application).waitForLoadState();
  await page.locator(".frame-cover").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Account of/ }).waitFor({ state: "attached" });
  return page;
}
const screenAfterMessage =
  (type: string, payload: object, isShown: (page: Page) => Promise<unknown>, options: Options = {}) =>
  async (visit: Open) => {
    const page = await withApplication(visit, options);
    await sendToShell(frameOf(page, application), type, payload);
    await isShown(page);
    return page;
  };
/** A screen that covers the page until Escape is pressed */
const layer =
  (screen: (visit: Open) => Promise<Page>): Screen =>
  async (visit) =>
    closesByEscape(await screen(visit));

const dialog = (mode: string) =>
  layer(
    screenAfterMessage(
      "PLATFORM_DIALOG",
      { id: "d", title: "Delete 3 orders?", description: "They are gone for good.", mode, okLabel: "Delete" },
      (page) => page.getByRole("dialog").waitFor(),
    ),
  );
const overlay = (type: string, payload: object, options: Options = {}) =>
  layer((visit) =>
    screenAfterMessage(
      type,
      // The payload is created when the screen opens, because the application's URL is known only then.
      { url: `${application}/more`, title: "More", ...payload },
      (page) => page.getByRole("dialog", { name: "More" }).waitFor(),
      options,
    )(visit),
  );
const palette = (typed: string, shell = "sidebar") =>
  layer(async (visit) => {
    const page = await heading(await visit("/home", { shell, isSignedIn: true }), /^Welcome/);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(typed);
    return page;
  });
const accountMenu =
  (shell: string): Screen =>
  async (visit) => {
    const page = await heading(await visit("/home", { shell, isSignedIn: true }), /^Welcome/);
    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("menu").waitFor();
    return { ...closesByEscape(page, "menu"), width: 1440 };
  };
const inbox =
  (then: (page: Page) => Promise<unknown>, responses: BackendResponses = {}): Screen =>
  async (visit) => {
    const page = await visit("/login", { responses });
    await page.getByLabel("Email address").fill("mina@example.com");
    await page.getByRole("button", { name: "Send sign-in link" }).click();
    await heading(page, "Check your inbox");
    await then(page);
    return page;
  };
const callbackError =
  (code: string): Screen =>
  async (visit) =>
    heading(await visit(`/login/callback?platform_oauth_error_code=${code}&platform_oauth_error=x`), /./);

const settings = { developerMode: true };
const liveAs = (response: BackendResponses[string]): Options => ({ responses: { "/api/v1/settings": response } });
const cliQuery = `platform_cli_redirect=${encodeURIComponent("http://127.0.0.1:4000/callback")}&code_challenge=${"a".repeat(43)}`;

const groups: Record<string, Record<string, Screen>> = {
  "the views": {
    welcome: view("/home", /^Welcome/, { isSignedIn: true }),
    "no access": view("/staff", "You do not have access", { isSignedIn: true }),
    "not found": view("/nothing", "This page does not exist"),
    "legal index": view("/legal", "Legal"),
    "legal document": view("/legal/privacy-policy", "Privacy policy"),
    diagnostics: view("/__diagnostics", "Diagnostics", { settings }),
    "consent preferences": view("/__cookie-preferences", "Cookie preferences", { shell: "consent" }),
    "consent question": async (visit) => {
      const page = await visit("/home", { shell: "consent" });
      await page.getByRole("region", { name: "Cookie preferences" }).waitFor();
      return heading(page, /^Welcome/);
    },
    "welcome, app-bar": view("/home", /^Welcome/, { isSignedIn: true, shell: "app-bar" }),
    "welcome, fullscreen": view("/home", /^Welcome/, { isSignedIn: true, shell: "fullscreen" }),
    "not found, app-bar": view("/nothing", "This page does not exist", { shell: "app-bar" }),
    "not found, fullscreen": view("/nothing", "This page does not exist", { shell: "fullscreen" }),
  },
  "the settings": {
    ...Object.fromEntries(
      (
        [
          ["appearance", "Appearance"],
          ["language-and-region", "Language and region"],
          ["data-privacy", "Data and privacy"],
          ["updates", "Updates"],
          ["advanced", "Advanced"],
          ["legal-documents", "Legal"],
          ["developer", "Developer"],
          ["service-worker", "Service worker"],
        ] as const
      ).map(([name, title]) => [name, view(`/settings/${name}`, title, { isSignedIn: true, settings })]),
    ),
    index: view("/settings", "Appearance", { isSignedIn: true }),
    account: async (visit) => {
      const page = await visit("/settings/account", { isSignedIn: true });
      await page.getByText("This device").waitFor();
      return unchanged(page);
    },
    storage: async (visit) => {
      const page = await visit("/settings/storage", { isSignedIn: true });
      await page.getByText("New files are refused until something is deleted.").waitFor();
      return unchanged(page);
    },
    "panel of an application": view("/settings/app-orders", "Orders", { isSignedIn: true }),
    "devices that failed to load": async (visit) => {
      const page = await visit("/settings/account", {
        isSignedIn: true,
        responses: { "/api/v1/sessions": { status: 500, body: { error_code: "internal_error" } } },
      });
      await page.getByText("The devices could not be loaded").waitFor();
      return page;
    },
    "storage that does not respond": async (visit) => {
      const page = await visit("/settings/storage", {
        isSignedIn: true,
        responses: { "/storage/v1/quota": { status: 500, body: {} } },
      });
      await page.getByText("Storage does not answer").waitFor();
      return page;
    },
    "deletion of the account": async (visit) => {
      const page = await visit("/settings/account", {
        isSignedIn: true,
        responses: { "/api/v1/user": { status: 409, body: { error_code: "last_company_owner" } } },
      });
      await page.getByRole("button", { name: "Delete account" }).click();
      const confirmation = page.getByRole("dialog");
      await confirmation.getByRole("textbox").fill("mina@example.com");
      await confirmation.getByRole("button", { name: "Delete account" }).click();
      await page.getByText("You are the last owner of this company").waitFor();
      return page;
    },
    "app-bar": view("/settings/appearance", "Appearance", { isSignedIn: true, shell: "app-bar" }),
    fullscreen: view("/settings/appearance", "Appearance", { isSignedIn: true, shell: "fullscreen" }),
  },
  "the sign-in": {
    form: view("/login", "Sign in to Aster"),
    "form with a panel": view("/login", "Sign in to Aster", { shell: "panel" }),
    "form after an error": view("/login?platform_oauth_error_code=oauth_provider_denied", "Sign in to Aster"),
    "form for a command line tool": view(`/login?${cliQuery}`, "Sign in to Aster"),
    "form with a wrong address": async (visit) => {
      const page = await visit("/login");
      await page.getByLabel("Email address").fill("mina");
      await page.getByRole("button", { name: "Send sign-in link" }).click();
      await page.getByText("Enter an email address, such as").waitFor();
      return page;
    },
    waiting: async (visit) => {
      const page = await visit("/login", liveAs("never"));
      await page.locator(".login-form[aria-busy=true]").waitFor();
      return page;
    },
    "not reachable": view("/login", "Sign-in is not reachable", liveAs({ status: 500, body: {} })),
    "no method": view("/login", "No sign-in method is available", liveAs({ body: { methods: [] } })),
    "no backend": view("/login", "Sign-in is not set up", { shell: "accountless" }),
    "no company": view("/login", "No company is configured", { shell: "companyless" }),
    inbox: inbox((page) => page.getByLabel("Sign-in code").waitFor()),
    "wrong code": inbox(async (page) => {
      await page.getByLabel("Sign-in code").fill("bcdf2222");
      await page.getByText("This code is not valid").waitFor();
    }),
    "too many wrong codes": inbox(async (page) => {
      for (const triesLeft of ["4 tries are", "3 tries are", "2 tries are", "1 try is"]) {
        await page.getByLabel("Sign-in code").fill("bcdf2222");
        await page.getByText(`${triesLeft} left`).waitFor();
        await page.getByLabel("Sign-in code").fill("");
      }
      await page.getByLabel("Sign-in code").fill("bcdf2222");
      await page.getByText("Too many wrong codes").waitFor();
    }),
    "access that is pending": view("/login", "Your request is waiting", {
      isSignedIn: true,
      responses: { "/api/v1/token": { status: 403, body: { error_code: "access_pending" } } },
    }),
  },
  "the callback": {
    finishing: view("/login/callback?platform_auth_code=c", "Signing you in", {
      responses: { "/api/v1/oauth/session": "never" },
    }),
    "another user": view("/login/callback?platform_auth_code=c", "Sign in as bo@example.com?", {
      isSignedIn: true,
      responses: { "/api/v1/oauth/session": { body: tokensOf({ id: "8", email: "bo@example.com", name: "Bo" }) } },
    }),
    "the account after a link": async (visit) => {
      const page = await visit("/login/callback?platform_auth_code=c");
      await page.getByText("Signed in as mina@example.com").waitFor();
      return page;
    },
    ...Object.fromEntries(
      // These codes include one for each kind of action that an error message can offer.
      [
        "access_pending",
        "access_denied",
        "magic_link_invalid",
        "invalid_oauth_state",
        "redirect_not_allowed",
        "something_new",
      ].map((code) => [code, callbackError(code)]),
    ),
  },
  "layers over a page": {
    palette: palette(""),
    "palette with results": palette("set"),
    "palette without a result": palette("zzzz"),
    "menu of the account": accountMenu("sidebar"),
    "sheet of the navigation": async (visit) => {
      const page = await heading(await visit("/home", { isSignedIn: true }), /^Welcome/);
      await page.setViewportSize({ width: 375, height: 800 });
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("dialog").waitFor();
      return { ...closesByEscape(page), width: 375 };
    },
    application: async (visit) => unchanged(await withApplication(visit)),
    "dialog that confirms a deletion": dialog("delete"),
    "dialog that informs": dialog("ok"),
    modal: overlay("PLATFORM_OPEN_MODAL", { size: "lg" }),
    "modal of another origin": overlay("PLATFORM_OPEN_MODAL", { url: "https://evil.example/" }),
    "modal with settings": overlay("PLATFORM_OPEN_MODAL", { url: "/__settings" }),
    ...Object.fromEntries(
      ["right", "left", "top", "bottom"].map((position) => [
        `drawer at the ${position}`,
        overlay("PLATFORM_OPEN_DRAWER", { position }),
      ]),
    ),
    "palette, app-bar": palette("", "app-bar"),
    "menu of the account, app-bar": accountMenu("app-bar"),
    "application, app-bar": async (visit) => unchanged(await withApplication(visit, { shell: "app-bar" })),
    "drawer, app-bar": overlay("PLATFORM_OPEN_DRAWER", {}, { shell: "app-bar" }),
    "palette, fullscreen": palette("", "fullscreen"),
    "application, fullscreen": (visit) => withApplication(visit, { shell: "fullscreen" }),
    "application without a connection": async (visit) => {
      const page = await withApplication(visit);
      await page.context().setOffline(true);
      await page.getByRole("link", { name: "Reports" }).first().click();
      await page.getByRole("alert").getByRole("heading").waitFor();
      return page;
    },
    toasts: async (visit) => {
      const page = await withApplication(visit);
      for (const [at, kind] of ["success", "error", "warning"].entries())
        await sendToShell(frameOf(page, application), "PLATFORM_TOAST", {
          id: String(at),
          title: `A ${kind}`,
          description: "What it means.",
          kind,
          duration: 0,
          action: { label: "Undo" },
          cancel: { label: "Later" },
        });
      await page.getByText("A warning").waitFor();
      return page;
    },
    badge: screenAfterMessage("PLATFORM_BADGE", { count: 12 }, (page) =>
      page.getByRole("link", { name: /12 new/ }).waitFor(),
    ),
    "session that ended": async (visit) => {
      const page = await withApplication(visit);
      const otherPage = await page.context().newPage();
      await otherPage.goto(`${new URL(page.url()).origin}/panel.html`);
      await otherPage.evaluate((stored) => {
        const record = JSON.parse(stored) as object;
        localStorage.setItem("platform:session", JSON.stringify({ ...record, generation: 99, refreshToken: null }));
      }, storedSession);
      await otherPage.close();
      await page.getByRole("dialog").waitFor();
      return page;
    },
  },
};

describe.skipIf(!hasChromium)(
  "accessibility of every screen at 1440 px in light mode and at 375 px in dark mode",
  () => {
    describe.for(Object.entries(groups))("%s", ([, screens]) => {
      it.for(Object.entries(screens))("has no axe violations: %s", async ([, screen]) => {
        const opened = await screen(open);
        const { page, width, restore }: Shown = "page" in opened ? opened : { page: opened };
        expect(await findingsEverywhere(page, width)).toEqual([]);
        await restore?.();
        screenPage.return(page, restore !== undefined);
      });
    });
  },
);
