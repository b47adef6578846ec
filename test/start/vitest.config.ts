import { defineConfig } from "vitest/config";

// Configuration of `npm run check:restarts`. Its tests start the platform or the development server several times, or run the
// programs of others against it, and mostly wait for these processes. It also checks the screens of the shell with axe in every
// layout, size and scheme. So they are not a project of `npm test`.
export default defineConfig({
  test: {
    name: "start",
    include: ["test/start/*.test.ts"],
    maxWorkers: 2,
    // The pages of services mostly wait for mail, so hosted-accessibility.test.ts checks several at the same time.
    maxConcurrency: 3,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
