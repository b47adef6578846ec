// Measures the shell and compares it with its targets: sizes of the built site, times of the command, cold loads,
// switches between frames, and edits. It never fails, because times depend on the machine and its load. A further
// argument runs one part: sizes, command, cold, switches or edits.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildShell } from "../../scripts/build-shell.ts";
import { builtShell, isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { measureColdLoads } from "./shell/cold-load.ts";
import { build, type Command, installedCommand, repositoryCommand, serve } from "./shell/command.ts";
import { measureEdits } from "./shell/edits.ts";
import { makeProject } from "./shell/project.ts";
import { serveApplications, serveIdentity, serveSite } from "./shell/servers.ts";
import { measureSizes } from "./shell/sizes.ts";
import { measureSwitches } from "./shell/switches.ts";
import { medianOf, printRows, type Row } from "./shell/table.ts";

const part = process.argv[3];
const isSelected = (name: string) => part === undefined || part === name;
const runs = 5;

if (!isShellCurrent()) await buildShell();
// Copies the shell, because another process may rebuild it in the meantime.
const shell = mkdtempSync(join(tmpdir(), "platform-bench-shell-"));
cpSync(builtShell, shell, { recursive: true });
const [applications, identity] = [await serveApplications(), await serveIdentity()];
const addresses = { application: applications.url, identity: identity.url };
const project = makeProject(addresses);
const web = join(project.root, "dist/web");

async function measureCommand(command: Command): Promise<Row[]> {
  // The first build fills the disk cache.
  await build(command, project.root);
  const [builds, starts]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    builds.push(await build(command, project.root));
    const served = await serve(command, project.root);
    starts.push(served.ms);
    await served.close();
  }
  return [
    { name: "platform build, median", value: medianOf(builds), target: 3000, unit: "ms" },
    { name: "platform build, slowest", value: Math.max(...builds), target: 3000, unit: "ms" },
    { name: "platform dev until it responds, median", value: medianOf(starts), target: 1000, unit: "ms" },
    { name: "platform dev until it responds, slowest", value: Math.max(...starts), target: 1000, unit: "ms" },
  ];
}

const command = repositoryCommand(shell);
await build(command, project.root);
const site = await serveSite(web);
const browser = hasChromium ? await launchChromium() : undefined;
let missedCount = 0;
try {
  console.log(`Load average at the start: ${loadavg()[0]?.toFixed(1)}.`);
  if (browser && isSelected("sizes"))
    missedCount += printRows(
      "Sizes, gzip level 9",
      await measureSizes(browser, { site: site.url, folder: web, identity: identity.url }),
    );
  if (isSelected("command"))
    for (const measuredCommand of [command, installedCommand() ?? []].flat())
      missedCount += printRows(
        `The command ${measuredCommand.name}, each ${runs} times`,
        await measureCommand(measuredCommand),
      );
  if (browser && isSelected("cold"))
    missedCount += printRows(
      "Cold load, 1.6 Mbit/s, 150 ms, 4 times slower processor",
      await measureColdLoads(browser, site.url, ["/home", "/orders", "/login"]),
    );
  if (browser && isSelected("switches"))
    missedCount += printRows("Between applications", await measureSwitches(browser, site.url));
  if (browser && isSelected("edits")) {
    const served = await serve(command, project.root);
    missedCount += printRows("Edits", await measureEdits(browser, served.url, project.config, addresses));
    await served.close();
  }
  console.log(
    `\n${missedCount === 0 ? "All values meet their targets." : `${missedCount} values miss their targets.`}`,
  );
} finally {
  await browser?.close();
  for (const server of [site, applications, identity]) server.close();
  project.remove();
  rmSync(shell, { recursive: true, force: true });
}
