import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { makeProject } from "../support/cli/project.ts";
import { follow, startServer } from "../support/cli/server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the open files, child processes and heap bytes of this process. */
function measureResources() {
  collectGarbage();
  const tasks = existsSync("/proc/self/task") ? readdirSync("/proc/self/task") : [];
  const children = tasks.flatMap((task) => {
    const file = `/proc/self/task/${task}/children`;
    return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean) : [];
  });
  const files = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
  return { files, children: children.length, heap: process.memoryUsage().heapUsed };
}

it("leaks no files, processes or memory over fifty edits, a third of which are invalid", {
  timeout: 240_000,
}, async (context) => {
  const root = makeProject(context, { "platform.config.ts": "export default { title: '0' };\n", "static/a.txt": "" });
  const { serving, port } = await startServer(context, root);
  const events = await follow(context, port);
  await events.next();
  const edit = async (n: number) => {
    const isBroken = n % 3 === 0;
    const text = isBroken ? `export default { title: ${n} };\n` : `export default { title: "${n}" };\n`;
    writeFileSync(join(root, "platform.config.ts"), text);
    await events.nextOf(isBroken ? "broken" : "config");
  };
  for (let n = 1; n <= 10; n++) await edit(n);
  const before = measureResources();
  for (let n = 11; n <= 60; n++) await edit(n);
  const after = measureResources();
  expect(serving.openResources()).toEqual({ pages: 1, folders: 2 });
  expect(after.files).toBeLessThanOrEqual(before.files + 2);
  expect(after.children).toBeLessThanOrEqual(before.children);
  expect(after.heap - before.heap).toBeLessThan(2_500_000);
});
