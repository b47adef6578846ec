import { buildExamples } from "../../../scripts/support/examples/build.ts";
import { deployExamples, type ExampleUrls } from "../../../scripts/support/examples/deploy.ts";
import { signInAt } from "../../support/platform/platform-session.ts";
import { type HostedGroup, type HostedScreen, type HostedStage, temporaryFolder } from "./stage.ts";

let urls: ExampleUrls | undefined;

async function deploy({ platform }: HostedStage): Promise<void> {
  const folder = temporaryFolder();
  await platform.inbox.clear();
  const token = await signInAt(platform, "owner@example.com");
  await buildExamples(folder, platform.url);
  urls = await deployExamples(folder, { url: platform.url, token });
}

const page =
  (addressOf: (stage: HostedStage) => string | Promise<string>): HostedScreen =>
  async (stage) => {
    const opened = await stage.visit(await addressOf(stage));
    await opened.locator(".state").waitFor();
    return opened;
  };

/** Returns the address of the first deployment of the app `today`, which only members can open. */
async function deploymentUrl({ call }: HostedStage): Promise<string> {
  const { results } = await call<{ results: { id: string }[] }>("GET", "/hosting/v1/apps/today/deployments");
  const url = new URL(urls?.today ?? "");
  const [name = "", ...domain] = url.hostname.split(".");
  url.hostname = [`${name}--${results[0]?.id.replaceAll("-", "").slice(0, 8)}`, ...domain].join(".");
  return url.href;
}

export const hostingGroup: HostedGroup = {
  name: "hosting pages",
  prepare: deploy,
  screens: {
    "app that does not exist": page(({ platform }) => platform.url.replace("//", "//nothing.")),
    "deployment for members": page(deploymentUrl),
    "visit link that was used": page(async (stage) => `${await deploymentUrl(stage)}.platform/visit?token=x`),
  },
};
