import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { buildShell } from "../../../scripts/build-shell.ts";
import { builtShell, isShellCurrent, repository } from "../../../scripts/support/shell/current.ts";
import { type Cleanup, makeProject } from "../../support/cli/project.ts";
import { startServer } from "../../support/cli/server.ts";
import { serveApplication } from "../../support/shell/application.ts";
import { fakeBackendUrl, sessionAt } from "../../support/shell/fake-identity.ts";
import { SharedPage } from "../../support/shell/shared-page.ts";
import { applicationPage } from "./application-page.ts";
import { screenConfig, screenVariants } from "./config.ts";
import { layerScreens } from "./layers.ts";
import { settingsScreens } from "./settings.ts";
import { signInScreens } from "./sign-in.ts";
import { type ShellLanguage, type ShellScreens, type ShellStage, shellTexts } from "./stage.ts";
import { viewScreens } from "./views.ts";

/** All screens of the shell. Each is checked with axe (test/start/shell-accessibility.test.ts) and drawn by `npm run screens`. */
export const shellScreens: ShellScreens = { ...signInScreens, ...viewScreens, ...settingsScreens, ...layerScreens };

const iconFolder = join(repository, "examples/static/icons");

/** The shells of `screenVariants` over a simulated service. */
export type Shells = {
  /** URLs by the name of the variant */
  urls: Record<string, string>;
  application: string;
};

/** Starts the shells; they end with the context. */
export async function startShells(context: Cleanup): Promise<Shells> {
  if (!isShellCurrent()) await buildShell();
  // The shell is copied, because another test's build replaces the original.
  const built = join(makeProject(context, {}), "shell");
  cpSync(builtShell, built, { recursive: true });
  const application = await serveApplication(context, "localhost", applicationPage);
  const config = screenConfig(application);
  const shell = await readShellFiles({ PLATFORM_SHELL: built });
  const urls: Record<string, string> = {};
  const icons: Record<string, string> = {};
  for (const name of readdirSync(iconFolder))
    icons[`static/icons/${name}`] = readFileSync(join(iconFolder, name), "utf8");
  for (const [name, overrides] of Object.entries(screenVariants(config, application))) {
    const root = makeProject(context, {
      "platform.config.json": JSON.stringify({ ...config, ...overrides }),
      "static/panel.html": "<!doctype html><title>Panel</title><p>Welcome",
      ...icons,
    });
    const { port } = await startServer(context, root, { shell });
    urls[name] = `http://localhost:${port}`;
  }
  return { urls, application };
}

/** Returns a stage in a language, and the page that its screens share. */
export function openStage(browser: Browser, { urls, application }: Shells, language: ShellLanguage) {
  const shared = new SharedPage(browser, { en: "en-GB", fr: "fr-FR", ar: "ar-EG" }[language]);
  const open: ShellStage["open"] = (path, { isSignedIn = false, shell = "sidebar", responses, settings } = {}) => {
    const storedEntries = {
      ...(isSignedIn && { "platform:session": sessionAt(fakeBackendUrl) }),
      ...(settings && { "platform:settings": JSON.stringify({ v: 1, ...settings }) }),
    };
    const url = `${urls[shell]}${path}`;
    // The sign-in reads its address only when it loads.
    const needsLoad = path.startsWith("/login");
    return needsLoad ? shared.open(url, storedEntries, responses) : shared.show(url, storedEntries, responses);
  };
  const stage: ShellStage = { open, t: shellTexts(language), application };
  return { stage, shared };
}
