import { join } from "node:path";
import type { Page } from "playwright-core";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { buildExamples } from "../../../scripts/support/examples/build.ts";
import { deployExamples, type ExampleUrls } from "../../../scripts/support/examples/deploy.ts";
import { repository } from "../../../scripts/support/shell/current.ts";
import { exampleEnv } from "../../../scripts/support/shell/start.ts";
import { makeProject } from "../../support/cli/project.ts";
import { startServer } from "../../support/cli/server.ts";
import { readSignInMail } from "../../support/mail/maildev.ts";
import type { HostedGroup, HostedScreen, HostedStage } from "./stage.ts";

const deployed = new Map<string, Promise<ExampleUrls>>();

/** Deploys the example applications to the platform once, and returns their addresses. */
export function deployOnce({ platform, token, cleanup }: HostedStage): Promise<ExampleUrls> {
  const build = async () => {
    const folder = makeProject(cleanup, {});
    await buildExamples(folder, platform.url);
    return deployExamples(folder, { url: platform.url, token });
  };
  const urls = deployed.get(platform.url) ?? build();
  deployed.set(platform.url, urls);
  return urls;
}

const shellUrl = ({ platform }: HostedStage) => `http://localhost:${platform.shellPort}`;

/** Starts the shell of `examples/` over the platform. */
async function start(stage: HostedStage): Promise<void> {
  const { platform, cleanup, runSql } = stage;
  // Each screen signs in again, and a notice about that must not arrive before the next code.
  await runSql("update companies set notify_new_device = 0 where id = 1");
  const env = exampleEnv(platform.url, await deployOnce(stage));
  const shell = await readShellFiles({});
  await startServer(cleanup, join(repository, "examples"), { shell, port: platform.shellPort, env });
}

/** The sign-in before. One follows another, because each reads the newest mail to the same address. */
let signedIn: Promise<unknown> = Promise.resolve();

/** Opens a path of the shell as the owner of the company. */
function openSignedIn(stage: HostedStage, path: string): Promise<Page> {
  const next = signedIn.then(() => signIn(stage, path));
  signedIn = next.catch(() => null);
  return next;
}

async function signIn(stage: HostedStage, path: string): Promise<Page> {
  const { platform, visit } = stage;
  const email = "owner@example.com";
  const before = (await platform.inbox.mailsTo(email)).length;
  const page = await visit(`${shellUrl(stage)}/login?next=${encodeURIComponent(path)}`);
  await page.locator("input[type=email]").fill(email);
  await page.locator("form button[type=submit]").first().click();
  const code = page.locator("input[autocomplete=one-time-code]");
  await code.waitFor();
  await code.fill(readSignInMail(await platform.inbox.waitForMail(email, before + 1)).code);
  await page.waitForURL(`${shellUrl(stage)}${path}`);
  return page;
}

/** A page of the shell, drawn when `selector` is visible. */
const page =
  (path: string, selector: string): HostedScreen =>
  async (stage) => {
    const opened = await openSignedIn(stage, path);
    await opened.locator(selector).first().waitFor();
    return opened;
  };

/** A page of the shell with an application, drawn when the application has a heading. */
const application =
  (path: string, then?: (page: Page) => Promise<unknown>): HostedScreen =>
  async (stage) => {
    const opened = await openSignedIn(stage, path);
    await opened.frameLocator("iframe").locator("h1").first().waitFor();
    await opened.locator(".frame-cover").waitFor({ state: "detached" });
    await then?.(opened);
    return opened;
  };

export const examplesGroup: HostedGroup = {
  name: "shell of the examples",
  prepare: start,
  screens: {
    "sign-in": async (stage) => {
      const opened = await stage.visit(`${shellUrl(stage)}/login`);
      await opened.locator("input[type=email]").waitFor();
      return opened;
    },
    home: page("/home", "h1"),
    orders: application("/orders"),
    today: application("/today"),
    palette: application("/orders", async (opened) => {
      await opened.keyboard.press("Control+k");
      await opened.getByRole("combobox").waitFor();
    }),
    account: page("/settings/account", "main li"),
    appearance: page("/settings/appearance", "main h2"),
  },
};
