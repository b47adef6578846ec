import { defineConfig } from "vitest/config";
import { writeWorkerAssets } from "../../scripts/support/documents/worker-assets.ts";

// Configuration of `npm run soak`, which takes too long to be a project of `npm test`.
await writeWorkerAssets();

export default defineConfig({
  test: {
    name: "soak",
    include: ["test/soak/*.soak.ts"],
    fileParallelism: false,
    testTimeout: 32 * 60_000,
    hookTimeout: 180_000,
    disableConsoleIntercept: true,
  },
});
