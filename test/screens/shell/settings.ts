import type { MessageKey } from "../../../shell/client/src/i18n/translate.ts";
import { type ShellScreens, unchanged, view } from "./stage.ts";

const settings = { developerMode: true };
const sections: Record<string, MessageKey> = {
  appearance: "settings.appearance",
  "data-privacy": "settings.privacy",
  advanced: "settings.advanced",
  "legal-documents": "settings.legal",
  developer: "settings.developer",
};

export const settingsScreens: ShellScreens = {
  settings: {
    ...Object.fromEntries(
      Object.entries(sections).map(([name, title]) => [
        name,
        view(`/settings/${name}`, title, { isSignedIn: true, settings }),
      ]),
    ),
    index: view("/settings", undefined, { isSignedIn: true }),
    "appearance, compact": view("/settings/appearance", "settings.appearance", {
      isSignedIn: true,
      settings: { density: "compact", developerMode: true },
    }),
    account: async ({ open, t }) => {
      const page = await open("/settings/account", { isSignedIn: true });
      await page.getByText(t("account.thisDevice")).waitFor();
      return unchanged(page);
    },
    storage: async ({ open, t }) => {
      const page = await open("/settings/storage", { isSignedIn: true });
      await page.getByText(t("storage.fullText")).waitFor();
      return unchanged(page);
    },
    "panel of an application": view("/settings/app-orders", undefined, { isSignedIn: true }),
    "devices that failed to load": async ({ open, t }) => {
      const page = await open("/settings/account", {
        isSignedIn: true,
        responses: { "/api/v1/sessions": { status: 500, body: { error_code: "internal_error" } } },
      });
      await page.getByText(t("account.devicesFailed")).waitFor();
      return page;
    },
    "storage that does not respond": async ({ open, t }) => {
      const page = await open("/settings/storage", {
        isSignedIn: true,
        responses: { "/storage/v1/quota": { status: 500, body: {} } },
      });
      await page.getByText(t("storage.failed")).waitFor();
      return page;
    },
    "deletion of the account": async ({ open, t }) => {
      const page = await open("/settings/account", {
        isSignedIn: true,
        responses: { "/api/v1/user": { status: 409, body: { error_code: "last_company_owner" } } },
      });
      await page.getByRole("button", { name: t("account.delete") }).click();
      const confirmation = page.getByRole("dialog");
      await confirmation.getByRole("textbox").fill("mina@example.com");
      await confirmation.getByRole("button", { name: t("account.delete") }).click();
      await page.getByText(t("account.lastOwner")).waitFor();
      return page;
    },
    "app-bar": view("/settings/appearance", "settings.appearance", { isSignedIn: true, shell: "app-bar" }),
    fullscreen: view("/settings/appearance", "settings.appearance", { isSignedIn: true, shell: "fullscreen" }),
  },
};
