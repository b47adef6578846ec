import { request } from "node:http";
import { join } from "node:path";
import { build } from "vite";
import { type DeployOptions, runDeploy } from "../../../cli/hosting/deploy.ts";
import { runDeployments } from "../../../cli/hosting/deployments.ts";
import { runRollback } from "../../../cli/hosting/rollback.ts";
import { type Cleanup, type Files, makeProject, writeFiles } from "../cli/project.ts";
import type { Platform } from "../platform/platform.ts";

/** The result of `platform deploy --json`. */
export type DeployResult = {
  app: { id: string; name: string; slug: string };
  deployment_id: string;
  url: string;
  deployment_url: string;
  expires_at: string | null;
  files: number;
  files_new: number;
  bytes_sent: number;
  seconds: number;
  warnings: { file: string; line: number }[];
};

/** Creates a Vite project of company 1, whose app is named `name`, and the commands that deploy it with the user's `token`. */
export function createAppProject(context: Cleanup, platform: Platform, token: string, name: string) {
  const config = {
    title: name,
    backend: { type: "platform", url: `${platform.url}/identity`, companyId: 1 },
    hosting: { url: `${platform.url}/hosting`, app: name },
  };
  const root = makeProject(context, { "platform.config.json": JSON.stringify(config) });
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: root, CI: "1", PLATFORM_TOKEN: token };
  const run = async (command: (output: { out: Print; err: Print }) => Promise<number>) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await command({ out: (line) => out.push(line), err: (line) => err.push(line) });
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  const runWith = (options: DeployOptions) =>
    run((output) => runDeploy(undefined, { dir: "dist", ...options }, output, root, env));
  return {
    root,
    write: (files: Files) => writeFiles(root, files),
    /** writes a page that shows its version, and loads a chunk when its button is pressed; no other app has the same files */
    writePage: (version: string) => writeFiles(root, pageSources(name, version)),
    /** builds the sources with Vite into `dist` */
    build: () => build({ root, configFile: false, logLevel: "error", build: { modulePreload: false } }),
    /** runs `platform deploy` and returns its exit code and output */
    runDeploy: runWith,
    /** deploys `dist`; throws with the output if that fails */
    deploy: async (options: DeployOptions = {}): Promise<DeployResult> => {
      const { code, out, err } = await runWith({ isJson: true, ...options });
      if (code !== 0) throw new Error(err);
      return JSON.parse(out) as DeployResult;
    },
    rollback: (id: string) => run((output) => runRollback({ root: undefined, id }, output, root, env)),
    deployments: () => run((output) => runDeployments(undefined, { isJson: false }, output, root, env)),
    dist: join(root, "dist"),
  };
}

type Print = (line: string) => void;

/** Requests a path of an app. Node resolves no names below `localhost`, so the request names the host in its header. */
export function fetchApp(url: string, headers: Record<string, string> = {}) {
  const { host, port, pathname, search } = new URL(url);
  return new Promise<{ status: number; headers: Headers; text: string }>((done, fail) => {
    const options = { host: "127.0.0.1", port, path: `${pathname}${search}`, headers: { ...headers, host } };
    const call = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () => {
        const received = new Headers();
        for (const [name, value] of Object.entries(response.headers))
          for (const line of [value ?? []].flat()) received.append(name, line);
        done({ status: response.statusCode ?? 0, headers: received, text });
      });
    });
    call.once("error", fail).end();
  });
}

const pageSources = (app: string, version: string): Files => ({
  "index.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notes ${version}</title>
    <meta name="application-name" content="${app}">
    <script type="module" src="/main.js"></script></head>
    <body><h1>Notes ${version}</h1><button type="button">Show</button></body></html>`,
  "main.js": `document.querySelector("button").addEventListener("click", async () => {
    const { text } = await import("./lazy.js");
    document.body.append(text);
    document.body.dataset.app = "${app}";
  });`,
  "lazy.js": `export const text = "Lazy text of ${version} of ${app}.";`,
});
