import { defineConfig } from "vitest/config";
import { writeWorkerAssets } from "../../scripts/support/documents/worker-assets.ts";

// `npm run soak`: longer than anything that a change should wait for, so no project of `npm test`.
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
