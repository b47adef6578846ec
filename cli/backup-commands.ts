import { type Command, InvalidArgumentError, Option } from "commander";
import { terminal } from "./commands/output.ts";

type BackupFlags = { url?: string; recipient: string[]; secrets: string[]; withoutSecrets?: true; company?: number };
type RestoreFlags = { url?: string; identity?: string; secretsTo?: string; company?: number };

/** Adds `backup` and `restore`. The code of a command is loaded only when it runs. */
export function addBackupCommands(program: Command): void {
  const address =
    "address below which /identity, /email and so on lead to the services; default: PLATFORM_<SERVICE>_URL";
  const collect = (value: string, values: string[]) => [...values, value];
  program
    .command("backup")
    .description("Write the rows of all services, the lists of their files and the secrets to one encrypted file")
    .argument("<file>", "the new file")
    .option("--url <url>", address)
    .option(
      "--recipient <age1…>",
      "age key of an owner of the backup; default: PLATFORM_BACKUP_PASSPHRASE",
      collect,
      [],
    )
    .option("--secrets <file>", "file with secrets of the deployment", collect, [])
    .addOption(new Option("--without-secrets", "leave the secrets out").conflicts("secrets"))
    .option("--company <id>", "only this company, as readable JSON lines without secrets", readCompany)
    .action(async (file: string, { url, recipient, secrets, withoutSecrets, company }: BackupFlags) => {
      const { runBackup } = await import("./backup/backup.ts");
      const options = { url, recipients: recipient, secrets, withoutSecrets: withoutSecrets === true, company };
      process.exitCode = await runBackup(file, options, terminal);
    });
  program
    .command("restore")
    .description("Fill an empty deployment with the rows of a backup, and compare counts and hashes")
    .argument("<file>", "the backup")
    .option("--url <url>", address)
    .option("--identity <file>", "file with the age identity; default: PLATFORM_BACKUP_PASSPHRASE")
    .option("--secrets-to <file>", "only write the secrets of the backup to this new file")
    .option("--company <id>", "the company of a file that `backup --company` wrote", readCompany)
    .action(async (file: string, flags: RestoreFlags) => {
      const { runRestore } = await import("./backup/restore.ts");
      process.exitCode = await runRestore(file, flags, terminal);
    });
}

function readCompany(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("It must be the id of a company.");
  return Number(text);
}
