import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runDeploy } from "../../../cli/hosting/deploy.ts";
import { type ExampleApp, exampleApps } from "./build.ts";

/** The addresses of the example applications. */
export type ExampleUrls = Record<ExampleApp, string>;

/** The platform to deploy to, as its base URL, and an access token of a user of company 1. */
export type DeployTarget = { url: string; token: string };

/**
 * Deploys the example applications that `buildExamples` wrote to `folder`, with `platform deploy`. Returns their addresses. Throws an
 * Error with what the command printed.
 */
export async function deployExamples(folder: string, { url, token }: DeployTarget): Promise<ExampleUrls> {
  const deployed = await Promise.all(
    exampleApps.map(async (name) => {
      const config = {
        title: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
        backend: { type: "platform", url: `${url}/identity`, companyId: 1 },
        hosting: { url: `${url}/hosting`, app: name },
      };
      const project = join(folder, `${name}-project`);
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, "platform.config.json"), JSON.stringify(config));
      return [name, await deploy(project, join(folder, name), token)] as const;
    }),
  );
  return Object.fromEntries(deployed) as ExampleUrls;
}

async function deploy(project: string, dir: string, token: string): Promise<string> {
  const printed: string[] = [];
  const errors: string[] = [];
  const output = { out: (text: string) => void printed.push(text), err: (line: string) => void errors.push(line) };
  const options = { dir, message: "npm start", isJson: true };
  const code = await runDeploy(project, options, output, project, { PATH: process.env.PATH, PLATFORM_TOKEN: token });
  if (code !== 0) throw new Error(`The example applications cannot be deployed.\n${errors.join("\n")}`);
  const { url } = JSON.parse(printed.join("")) as { url: string };
  return url;
}
