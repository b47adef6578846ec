import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";

/** Deployments are made from a clone of the repository, so only a clone has this script. */
const script = fileURLToPath(new URL("../scripts/rotate.ts", import.meta.url));

/** Adds `rotate`, whose options the script reads. */
export function addRotate(program: Command): void {
  program
    .command("rotate")
    .description("Replace secrets of a deployment, in the order in which nothing valid stops")
    .argument("[options...]")
    .allowUnknownOption()
    .helpOption(false)
    .action((options: string[]) => {
      if (!existsSync(script)) {
        console.error("error: platform rotate works in a clone of the repository, from which the deployment was made.");
        process.exitCode = 1;
        return;
      }
      process.exitCode = spawnSync(process.execPath, [script, ...options], { stdio: "inherit" }).status ?? 1;
    });
}
