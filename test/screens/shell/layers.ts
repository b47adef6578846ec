import type { Page } from "playwright-core";
import { fakeBackendUrl, sessionAt } from "../../support/shell/fake-identity.ts";
import {
  accountButton,
  closesByEscape,
  openApplication,
  openHome,
  type ScreenOptions,
  type ShellScreen,
  type ShellScreens,
  type ShellStage,
  sendMessage,
  unchanged,
} from "./stage.ts";

const screenAfterMessage =
  (
    type: string,
    payload: (stage: ShellStage) => object,
    isShown: (page: Page, stage: ShellStage) => Promise<unknown>,
    options: ScreenOptions = {},
  ) =>
  async (stage: ShellStage) => {
    const page = await openApplication(stage, options);
    await sendMessage(page, stage, type, payload(stage));
    await isShown(page, stage);
    return page;
  };

/** A screen that covers the page until Escape is pressed */
const layer =
  (screen: (stage: ShellStage) => Promise<Page>): ShellScreen =>
  async (stage) =>
    closesByEscape(await screen(stage));

const dialog = (mode: string) =>
  layer(
    screenAfterMessage(
      "PLATFORM_DIALOG",
      () => ({ id: "d", title: "Delete 3 orders?", description: "They are gone for good.", mode, okLabel: "Delete" }),
      (page) => page.getByRole("dialog").waitFor(),
    ),
  );

const overlay = (type: string, payload: object, options: ScreenOptions = {}) =>
  layer(
    screenAfterMessage(
      type,
      ({ application }) => ({ url: `${application}/more`, title: "More", ...payload }),
      (page) => page.getByRole("dialog", { name: "More" }).waitFor(),
      options,
    ),
  );

const palette = (typed: string, shell = "sidebar") =>
  layer(async (stage) => {
    const page = await openHome(stage, shell);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(typed);
    return page;
  });

const accountMenu =
  (shell: string): ShellScreen =>
  async (stage) => {
    const page = await openHome(stage, shell);
    await accountButton(page, stage.t).click();
    await page.getByRole("menu").waitFor();
    return { ...closesByEscape(page, "menu"), width: 1440 };
  };

const sendToasts = async (page: Page, stage: ShellStage) => {
  for (const [at, kind] of ["success", "error", "warning"].entries())
    await sendMessage(page, stage, "PLATFORM_TOAST", {
      id: String(at),
      title: `A ${kind}`,
      description: "What it means.",
      kind,
      duration: 0,
      action: { label: "Undo" },
      cancel: { label: "Later" },
    });
  await page.getByText("A warning").waitFor();
};

/** A service worker of which a new version waits. The development server has none. */
const waitingWorker = () => {
  const registration = { waiting: {}, addEventListener: () => {}, update: async () => {} };
  const value = { controller: {}, register: async () => registration, addEventListener: () => {} };
  Object.defineProperty(navigator, "serviceWorker", { value });
};

/** Opens the start page while a new version of the shell waits. */
const updateNotice: ShellScreen = async (stage) => {
  const page = await openHome(stage, "sidebar");
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Page.enable");
  await devTools.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${String(waitingWorker)})()` });
  await page.reload();
  await page.getByText(stage.t("update.title")).waitFor();
  await devTools.detach();
  return page;
};

const storedSession = sessionAt(fakeBackendUrl);

export const layerScreens: ShellScreens = {
  layers: {
    palette: palette(""),
    "palette with commands": layer(async (stage) => {
      const page = await openApplication(stage);
      await sendMessage(page, stage, "PLATFORM_COMMANDS", {
        id: "c",
        commands: [
          { id: "new", title: "New order", shortcut: "mod+shift+y" },
          { id: "export", title: "Export orders" },
        ],
      });
      await page.locator(".page-header").click();
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "New order" }).waitFor();
      return page;
    }),
    "palette with results": palette("set"),
    "palette without a result": palette("zzzz"),
    "menu of the account": accountMenu("sidebar"),
    "sheet of the navigation": async (stage) => {
      const page = await openHome(stage, "sidebar");
      await page.setViewportSize({ width: 375, height: 800 });
      await page.getByRole("button", { name: stage.t("nav.moreButton"), exact: true }).click();
      await page.getByRole("dialog").waitFor();
      return { ...closesByEscape(page), width: 375 };
    },
    "sheet of the account": async (stage) => {
      const page = await openHome(stage, "sidebar");
      await page.setViewportSize({ width: 375, height: 800 });
      await page.getByRole("button", { name: stage.t("account.settings"), exact: true }).click();
      await page.getByRole("dialog", { name: "Mina Adel" }).waitFor();
      return { ...closesByEscape(page), width: 375 };
    },
    application: async (stage) => unchanged(await openApplication(stage)),
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
    "application, app-bar": async (stage) => unchanged(await openApplication(stage, { shell: "app-bar" })),
    "drawer, app-bar": overlay("PLATFORM_OPEN_DRAWER", {}, { shell: "app-bar" }),
    "palette, fullscreen": palette("", "fullscreen"),
    "application, fullscreen": (stage) => openApplication(stage, { shell: "fullscreen" }),
    "application without a connection": async (stage) => {
      const page = await openApplication(stage);
      await page.context().setOffline(true);
      await page.locator('a[href="/reports"]').first().click();
      await page.getByRole("alert").getByRole("heading").waitFor();
      return page;
    },
    "update notice": updateNotice,
    toasts: async (stage) => {
      const page = await openApplication(stage);
      await sendToasts(page, stage);
      return page;
    },
    "toasts over a drawer": async (stage) => {
      const page = await openApplication(stage);
      const payload = { url: `${stage.application}/more`, title: "More", position: "right" };
      await sendMessage(page, stage, "PLATFORM_OPEN_DRAWER", payload);
      await page.getByRole("dialog", { name: "More" }).waitFor();
      await sendToasts(page, stage);
      return page;
    },
    "palette with many items": palette("", "crowded"),
    "application that is loading": async (stage) => {
      const page = await openHome(stage, "sidebar");
      await page.context().route(`${stage.application}/reports`, () => {});
      await page.locator('a[href="/reports"]').first().click();
      await page.getByRole("progressbar").waitFor();
      return page;
    },
    "toast over a modal": layer(async (stage) => {
      const page = await openApplication(stage);
      const { application } = stage;
      await sendMessage(page, stage, "PLATFORM_OPEN_MODAL", { url: `${application}/more`, title: "More", size: "lg" });
      await page.getByRole("dialog", { name: "More" }).waitFor();
      await sendMessage(page, stage, "PLATFORM_TOAST", { id: "saved", title: "The order is saved", duration: 0 });
      await page.getByText("The order is saved").waitFor();
      return page;
    }),
    badge: screenAfterMessage(
      "PLATFORM_BADGE",
      () => ({ count: 12 }),
      (page, { t }) => page.getByRole("link", { name: t("nav.badge", { count: 12 }) }).waitFor(),
    ),
    "session that ended": async (stage) => {
      const page = await openApplication(stage);
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
