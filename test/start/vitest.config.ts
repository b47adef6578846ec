import { defineConfig } from "vitest/config";

// Configuration of `npm run check:restarts`. It starts the platform or the development server several times and mostly waits,
// so it is not a project of `npm test`.
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
