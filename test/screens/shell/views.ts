import { type ShellScreens, view, waitForHeading } from "./stage.ts";

const title = "Aster";
const settings = { developerMode: true };

export const viewScreens: ShellScreens = {
  views: {
    welcome: view("/home", ["welcome.person", { name: "Mina Adel" }], { isSignedIn: true }),
    "welcome, signed out": view("/home", ["welcome.title", { title }]),
    "welcome with groups": view("/home", ["welcome.person", { name: "Mina Adel" }], {
      isSignedIn: true,
      shell: "many",
      settings: {
        placesOwner: "1/7",
        recent: ["invoices-and-reminders-of-the-northern-regions", "items"],
        pinned: ["people"],
      },
    }),
    "no access": view("/staff", "noAccess.title", { isSignedIn: true }),
    "not found": view("/nothing", "notFound.title"),
    "legal index": view("/legal", "legal.title"),
    "legal document": view("/legal/privacy-policy", "legal.privacyPolicy"),
    diagnostics: view("/__diagnostics", "diagnostics.title", { settings }),
    "consent preferences": view("/__cookie-preferences", "consent.title", { shell: "consent" }),
    "consent question": async ({ open, t }) => {
      const page = await open("/home", { shell: "consent" });
      await page.getByRole("region", { name: t("consent.title") }).waitFor();
      return waitForHeading(page, t("welcome.title", { title }));
    },
    "welcome with many items": view("/home", undefined, { isSignedIn: true, shell: "crowded" }),
    "welcome with a narrow sidebar": view("/home", undefined, {
      isSignedIn: true,
      settings: { sidebarCollapsed: true },
    }),
    "welcome, app-bar": view("/home", undefined, { isSignedIn: true, shell: "app-bar" }),
    "welcome, fullscreen": view("/home", undefined, { isSignedIn: true, shell: "fullscreen" }),
    "not found, app-bar": view("/nothing", "notFound.title", { shell: "app-bar" }),
    "not found, fullscreen": view("/nothing", "notFound.title", { shell: "fullscreen" }),
  },
};
