import { type Command, InvalidArgumentError } from "commander";
import { terminal } from "./commands/output.ts";
import { semanticVersion } from "./hosting/version.ts";

type DeployFlags = {
  dir?: string;
  build: boolean;
  appVersion?: string;
  preview?: true;
  previewName?: string;
  message?: string;
  dryRun?: true;
  json?: true;
};

/** Adds `deploy`, `deployments`, `rollback` and `open`. The code of a command is loaded only when it runs. */
export function addHostingCommands(program: Command): void {
  program
    .command("deploy")
    .description("Build the shell, or take a folder, and make it live on the hosting service")
    .argument("[root]", "folder of the project")
    .option("--dir <folder>", "deploy this folder instead of building the shell")
    .option("--no-build", "deploy dist/web as it is")
    .option("--app-version <v>", "semantic version; default: that of the configuration, else the time", readVersion)
    .option("--preview", "deploy to a preview, which has its own address and expires")
    .option("--preview-name <name>", "tell previews apart, for example by branch; implies --preview")
    .option("--message <text>", "note that the list of deployments shows")
    .option("--dry-run", "show the files and what is new, and change nothing")
    .option("--json", "print the result as JSON")
    .action(async (root: string | undefined, flags: DeployFlags) => {
      const { runDeploy } = await import("./hosting/deploy.ts");
      const options = {
        dir: flags.dir,
        skipsBuild: !flags.build,
        appVersion: flags.appVersion,
        isPreview: flags.preview === true || flags.previewName !== undefined,
        previewName: flags.previewName,
        message: flags.message,
        isDryRun: flags.dryRun === true,
        isJson: flags.json === true,
      };
      process.exitCode = await runDeploy(root, options, terminal);
    });
  program
    .command("deployments")
    .description("List the deployments of the app")
    .argument("[root]", "folder of the project")
    .option("--json", "print the list as JSON")
    .action(async (root: string | undefined, { json }: { json?: true }) => {
      const { runDeployments } = await import("./hosting/deployments.ts");
      process.exitCode = await runDeployments(root, { isJson: json === true }, terminal);
    });
  program
    .command("rollback")
    .description("Make an earlier deployment live")
    .argument("[root]", "folder of the project")
    .argument("[id]", "id of the deployment, or its first 8 characters; default: choose on the terminal")
    .action(async (root: string | undefined, id: string | undefined) => {
      const { runRollback } = await import("./hosting/rollback.ts");
      process.exitCode = await runRollback({ root, id }, terminal);
    });
  program
    .command("open")
    .description("Open the app, or one of its deployments, in the browser")
    .argument("[root]", "folder of the project")
    .argument("[id]", "id of a deployment, or its first 8 characters; default: the live one")
    .action(async (root: string | undefined, id: string | undefined) => {
      const { runOpen } = await import("./hosting/open-app.ts");
      process.exitCode = await runOpen({ root, id }, terminal);
    });
}

function readVersion(text: string): string {
  if (!semanticVersion.test(text) || text.length > 64)
    throw new InvalidArgumentError("It must be a semantic version, such as 1.4.0.");
  return text;
}
