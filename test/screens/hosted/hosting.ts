import { deployOnce } from "./examples.ts";
import type { HostedGroup, HostedScreen, HostedStage } from "./stage.ts";

const page =
  (addressOf: (stage: HostedStage) => string | Promise<string>): HostedScreen =>
  async (stage) => {
    const opened = await stage.visit(await addressOf(stage));
    await opened.locator(".state").waitFor();
    return opened;
  };

/** Returns the address of the first deployment of the app `today`, which only members can open. */
async function deploymentUrl(stage: HostedStage): Promise<string> {
  const { results } = await stage.call<{ results: { id: string }[] }>("GET", "/hosting/v1/apps/today/deployments");
  const url = new URL((await deployOnce(stage)).today);
  const [name = "", ...domain] = url.hostname.split(".");
  url.hostname = [`${name}--${results[0]?.id.replaceAll("-", "").slice(0, 8)}`, ...domain].join(".");
  return url.href;
}

/** Sends a form to an app, which only shows files. */
const formSentToApp: HostedScreen = async (stage) => {
  const opened = await stage.visit("about:blank");
  await opened.setContent(`<form method="post" action="${(await deployOnce(stage)).today}"><button>Send`);
  await opened.getByRole("button").click();
  await opened.locator("[data-error-code=method_not_allowed]").waitFor();
  return opened;
};

export const hostingGroup: HostedGroup = {
  name: "hosting pages",
  prepare: deployOnce,
  screens: {
    "app that does not exist": page(({ platform }) => platform.url.replace("//", "//nothing.")),
    // An app with one page for every path has no page only at a path that is too long.
    "page that does not exist": page(async (stage) => `${(await deployOnce(stage)).today}/${"x".repeat(8193)}`),
    "form that was sent to an app": formSentToApp,
    "deployment for members": page(deploymentUrl),
    "visit link that was used": page(async (stage) => `${await deploymentUrl(stage)}.platform/visit?token=x`),
  },
};
