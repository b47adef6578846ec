import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { type BackupOptions, runBackup } from "../../../../cli/backup/backup.ts";
import { startBackupServices } from "../../../support/cli/backup-double.ts";
import { startCommand } from "../../../support/cli/command.ts";
import { makeProject } from "../../../support/cli/project.ts";

const stored = () => ({
  "identity.companies": [
    [42, "Aster"],
    [43, "Other"],
  ],
  "hosting.hosting_apps": [
    ["a1", 42],
    ["a2", 43],
  ],
});

/** Starts services and returns how to back them up, with a passphrase, to a file of a new folder. */
async function open(context: TestContext) {
  const services = await startBackupServices(context, stored());
  const folder = makeProject(context, { "secrets.json": '{"identity":{}}' });
  const file = join(folder, "platform.backup");
  const secrets = join(folder, "secrets.json");
  const env = { ...services.env, PLATFORM_BACKUP_PASSPHRASE: "a long passphrase" };
  const backup = async (options: Partial<BackupOptions>) => {
    const err: string[] = [];
    const output = { out: () => {}, err: (line: string) => void err.push(line) };
    const all = { url: services.url, recipients: [], secrets: [], withoutSecrets: false, ...options };
    const code = await runBackup(file, all, output, options.company === undefined ? env : services.env);
    return { code, err: err.join("\n") };
  };
  return { ...services, folder, file, secrets, env, backup };
}

describe.concurrent("platform backup", () => {
  it("writes a file that only its owner can read, whatever lies beside it", async (context) => {
    const { folder, file, secrets, backup } = await open(context);
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(`${file}.part`, "left over");
    chmodSync(`${file}.part`, 0o666);
    symlinkSync(elsewhere, `${file}.new`);
    expect(await backup({ secrets: [secrets] })).toEqual({ code: 0, err: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${file}.part`, "utf8")).toBe("left over");
    expect(readdirSync(folder)).not.toContain("elsewhere");
    const written = readdirSync(folder).filter((name) => name.startsWith("platform.backup"));
    expect(written.toSorted()).toEqual(["platform.backup", "platform.backup.new", "platform.backup.part"]);
  });

  it("does not replace a file, nor write through a link", async (context) => {
    const { folder, file, secrets, backup } = await open(context);
    writeFileSync(file, "the backup of last year");
    const refused = { code: 1, err: `error file-exists: ${file} exists. Remove it, or choose another name.` };
    expect(await backup({ secrets: [secrets] })).toEqual(refused);
    expect(readFileSync(file, "utf8")).toBe("the backup of last year");
    rmSync(file);
    symlinkSync(join(folder, "nowhere"), file);
    expect(await backup({ secrets: [secrets] })).toEqual(refused);
    expect(readdirSync(folder)).not.toContain("nowhere");
  });

  it("reads nothing when it can write or encrypt nothing", async (context) => {
    const { secrets, backup, calls, folder, env, url } = await open(context);
    expect(await backup({ secrets: [secrets], recipients: ["age1foo"] })).toEqual({
      code: 1,
      err: "error recipient-invalid: age1foo is not an age recipient (age1…).",
    });
    const args = ["backup", "missing/x.age", "--url", url, "--secrets", secrets];
    const { code, err } = await startCommand(context, args, { cwd: folder, env }).ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("error backup-not-writable: missing/x.age cannot be created (ENOENT)."),
    });
    expect(calls.filter((command) => command === "read_table")).toEqual([]);
    expect(readdirSync(folder)).toEqual(["secrets.json"]);
  });

  it("rejects --secrets with --without-secrets", async (context) => {
    const { folder, file, secrets, url, env } = await open(context);
    const args = ["backup", file, "--url", url, "--secrets", secrets, "--without-secrets"];
    const { code, err } = await startCommand(context, args, { cwd: folder, env }).ended;
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("option '--without-secrets' cannot be used with option '--secrets <file>'"),
    });
    expect(readdirSync(folder)).not.toContain("platform.backup");
  });

  it("exports only a company that exists", async (context) => {
    const { folder, file, backup } = await open(context);
    expect(await backup({ company: 999 })).toEqual({
      code: 1,
      err: "error company-unknown: There is no company 999.",
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("platform.backup"))).toEqual([]);
    expect(await backup({ company: 42 })).toEqual({ code: 0, err: "" });
    const text = readFileSync(file, "utf8");
    expect([text.includes("Aster"), text.includes("Other")]).toEqual([true, false]);
  });
});
