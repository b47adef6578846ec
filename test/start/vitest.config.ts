import { defineConfig } from "vitest/config";

// `npm run check:restarts`: starts the platform several times and waits most of its time, so no project of `npm test`.
export default defineConfig({
  test: {
    name: "start",
    include: ["test/start/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
