// `npm run migrations`: writes a migration for every service whose db/<service>/schema.ts has changed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { services } from "./support/services.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

for (const service of services) {
  const args = ["node_modules/drizzle-kit/bin.cjs", "generate", "--config", `db/${service}/drizzle.config.ts`];
  // stdio is inherited, because drizzle-kit asks whether a column is new or renamed.
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
