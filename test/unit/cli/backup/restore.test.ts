import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { describe, expect, it, type TestContext } from "vitest";
import { type BackupOptions, runBackup } from "../../../../cli/backup/backup.ts";
import { type RestoreOptions, runRestore } from "../../../../cli/backup/restore.ts";
import { startBackupServices } from "../../../support/cli/backup-double.ts";
import { makeProject } from "../../../support/cli/project.ts";

type Line = Record<string, unknown> & { type: string; table?: string; rows?: unknown };

/** Writes a backup of a company, or of all companies, and returns how to edit and to restore it into other, empty services. */
async function open(context: TestContext, options: Partial<BackupOptions> = { company: 42 }) {
  const source = await startBackupServices(context, {
    "identity.companies": [[42, "Aster"]],
    "identity.users": [
      [7, 42, 0],
      [8, 42, 0],
    ],
    "email.templates": [[1, 42]],
    "hosting.hosting_apps": [["a1", 42]],
  });
  const target = await startBackupServices(context);
  const folder = makeProject(context, {});
  const file = join(folder, "platform.backup");
  const all = { url: source.url, recipients: [], secrets: [], withoutSecrets: true, ...options };
  const silent = { out: () => {}, err: () => {} };
  expect(await runBackup(file, all, silent, source.env)).toBe(0);
  const restore = async (restoreOptions: RestoreOptions = { company: 42 }) => {
    const err: string[] = [];
    const output = { out: () => {}, err: (line: string) => void err.push(line) };
    const code = await runRestore(file, { url: target.url, ...restoreOptions }, output, target.env);
    return { code, err: err.join("\n") };
  };
  const edit = (change: (lines: Line[]) => Line[]) => {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const changed = change(lines.map((line) => JSON.parse(line) as Line));
    writeFileSync(file, changed.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  return { target, folder, file, restore, edit };
}

/** Replaces the rows of a table, and its hash, as somebody would who knows the format. */
const forge = (service: string, table: string, rows: unknown[][]) => (lines: Line[]) => {
  const texts = rows.map((row) => JSON.stringify(row));
  const sha256 = createHash("sha256")
    .update(texts.map((text) => `${text}\n`).join(""))
    .digest("hex");
  return lines.map((line) => {
    if (line.service !== service || line.table !== table) return line;
    return line.type === "rows" ? { ...line, rows: texts } : { ...line, rows: texts.length, sha256 };
  });
};

const isRows = (table: string) => (line: Line) => line.type === "rows" && line.table === table;

describe.concurrent("platform restore", () => {
  it("restores the export of a company", async (context) => {
    const { target, restore } = await open(context);
    expect(await restore()).toEqual({ code: 0, err: "" });
    expect(target.rows["identity.users"]).toEqual([
      [7, 42, 0],
      [8, 42, 0],
    ]);
  });

  it.for<[string, (lines: Line[]) => Line[], string]>([
    ["without its last line", (lines) => lines.slice(0, -1), "backup-incomplete"],
    ["without a page of rows", (lines) => lines.filter((line) => !isRows("users")(line)), "backup-damaged"],
    ["without a table", (lines) => lines.filter(({ table }) => table !== "users"), "backup-damaged"],
    [
      "with a changed row",
      (lines) => lines.map((line) => (isRows("users")(line) ? { ...line, rows: ["[9,42,0]"] } : line)),
      "backup-damaged",
    ],
    [
      "with rows that are no texts",
      (lines) => lines.map((line) => (isRows("users")(line) ? { ...line, rows: 5 } : line)),
      "backup-damaged",
    ],
    [
      "with a line of another type",
      (lines) => lines.map((line) => (isRows("users")(line) ? { ...line, type: "constructor" } : line)),
      "backup-damaged",
    ],
    ["with lines after its end", (lines) => [...lines, ...lines.slice(-1)], "backup-damaged"],
    [
      "of a later format",
      (lines) => lines.map((line) => ({ ...line, ...(line.type === "backup" && { version: 2 }) })),
      "backup-unknown",
    ],
    ["that makes a user staff", forge("identity", "users", [[7, 42, 1]]), "rows-refused"],
    ["with an app of another company", forge("hosting", "hosting_apps", [["a1", 43]]), "rows-refused"],
    ["with rows that are no arrays", forge("hosting", "hosting_apps", [["a1"]]), "rows-refused"],
    [
      "with secrets",
      ([first, ...lines]) => [first as Line, { type: "secrets", name: "s", text: "" }, ...lines],
      "backup-damaged",
    ],
    [
      "of all companies",
      (lines) => lines.map((line) => ({ ...line, ...(line.type === "backup" && { company_id: null }) })),
      "company-differs",
    ],
    [
      "of another company",
      (lines) => lines.map((line) => ({ ...line, ...(line.type === "backup" && { company_id: 43 }) })),
      "company-differs",
    ],
  ])("refuses a file %s and changes nothing", async ([, change, code], context) => {
    const { target, restore, edit } = await open(context);
    edit((lines) => {
      const changed = change(lines);
      const end = changed.findIndex(({ type }) => type === "end");
      return changed.map((line, index) => (index === end ? { ...line, lines: end } : line));
    });
    const { code: exitCode, err } = await restore();
    expect([exitCode, err]).toEqual([1, expect.stringMatching(new RegExp(`^error ${code}: [^\\n]+$`))]);
    expect(target.changes).toEqual([]);
  });

  it("refuses the export of a company whose id is not given", async (context) => {
    const { target, restore } = await open(context);
    expect(await restore({})).toEqual({
      code: 1,
      err: "error company-missing: The file has only company 42. Add --company 42.",
    });
    expect(target.changes).toEqual([]);
  });

  it("refuses an encrypted file that is truncated or changed, and another key", async (context) => {
    const identity = await generateIdentity();
    const recipients = [await identityToRecipient(identity)];
    const { target, folder, file, restore } = await open(context, { recipients });
    const [right, wrong, none] = ["right.txt", "wrong.txt", "none.txt"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(right, `${identity}\n`);
    writeFileSync(wrong, `${await generateIdentity()}\n`);
    writeFileSync(none, "# nothing\n");
    const bytes = readFileSync(file);
    const refused = (code: string) => ({ code: 1, err: expect.stringMatching(new RegExp(`^error ${code}: [^\\n]+$`)) });
    expect(await restore({ identity: wrong })).toEqual(refused("key-wrong"));
    expect(await restore({ identity: none })).toEqual(refused("identity-invalid"));
    expect(await restore({})).toEqual(refused("key-missing"));
    for (const cut of [bytes.length - 1, bytes.length - 40, 300, 100, 25]) {
      writeFileSync(file, bytes.subarray(0, cut));
      expect(await restore({ identity: right })).toEqual(refused("backup-not-readable"));
    }
    writeFileSync(
      file,
      bytes.map((byte, index) => (index === bytes.length - 20 ? byte ^ 1 : byte)),
    );
    expect(await restore({ identity: right })).toEqual(refused("backup-not-readable"));
    rmSync(file);
    expect(await restore({ identity: right })).toEqual(refused("backup-not-readable"));
    expect(target.changes).toEqual([]);
    writeFileSync(file, bytes);
    expect(await restore({ identity: right, secretsTo: join(folder, "secrets.json") })).toEqual(
      refused("secrets-missing"),
    );
    expect(existsSync(join(folder, "secrets.json"))).toBe(false);
    expect(await restore({ identity: right })).toEqual({ code: 0, err: "" });
  });

  it("refuses a deployment with other secrets and names the settings", async (context) => {
    const { target, restore } = await open(context);
    target.keys.SECRET_KEY = "ffffffff";
    expect(await restore()).toEqual({
      code: 1,
      err: "error secrets-differ: identity has other values of SECRET_KEY. Write those of the backup with --secrets-to, and deploy them.",
    });
    expect(target.changes).toEqual([]);
  });

  it("changes no service when the last one refuses, and says why in one sentence", async (context) => {
    const { target, restore } = await open(context);
    target.refusals.storage = "The service is not empty: storage_objects.";
    expect(await restore()).toEqual({
      code: 1,
      err: "error service-failed: storage: The service is not empty: storage_objects.",
    });
    expect(target.changes).toEqual([]);
  });
});
