import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readCopy, writeCopy } from "../../../scripts/deploy/rotation/secrets-copy.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "secrets-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const deployment = { name: "platform", account: "account" };
const copy = { deployment, identity: { SECRET_KEY: "s1" } };

it("writes a copy that only its owner can read, whatever the files beside it", () => {
  const path = join(makeFolder(), "secrets.json");
  for (const name of [path, `${path}.new`]) {
    writeFileSync(name, "{}");
    chmodSync(name, 0o666);
  }
  writeCopy(path, copy);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readCopy(deployment, path)).toEqual(copy);
});

it("does not write through a link", () => {
  const folder = makeFolder();
  const [path, elsewhere] = [join(folder, "secrets.json"), join(folder, "elsewhere")];
  symlinkSync(elsewhere, `${path}.new`);
  writeCopy(path, copy);
  expect(existsSync(elsewhere)).toBe(false);
  expect(readCopy(deployment, path)).toEqual(copy);
});

it("leaves no other file when it cannot replace the copy", () => {
  const folder = makeFolder();
  const path = join(folder, "secrets.json");
  mkdirSync(path);
  expect(() => writeCopy(path, copy)).toThrow();
  expect(readdirSync(folder)).toEqual(["secrets.json"]);
});

it("reads only the copy of the same deployment", () => {
  const path = join(makeFolder(), "secrets.json");
  writeCopy(path, copy);
  expect(() => readCopy({ ...deployment, name: "staging" }, path)).toThrow("the secrets of the deployment platform");
  expect(() => readCopy({ ...deployment, account: "other" }, path)).toThrow(
    "in account account, not of platform in other",
  );
});
