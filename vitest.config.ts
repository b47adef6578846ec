import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { libraryStatements } from "./scripts/support/databases/library.ts";
import { joinStatements } from "./scripts/support/databases/statements.ts";
import { writeWorkerAssets } from "./scripts/support/documents/worker-assets.ts";
import { type Service, services } from "./scripts/support/services.ts";
import { loadSettings } from "./scripts/support/settings-tables.ts";
import { migratedSchema } from "./test/support/db/migrated/schema.ts";
import { testVarsOf } from "./test/support/settings.ts";

// A test run does many small database writes, which are much faster in memory. Temporary files therefore go to /dev/shm, unless
// TMPDIR is set or less than 1 GiB is free there.
const memory = "/dev/shm";
const roomBytes = 2 ** 30;
const hasRoom = () => existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > roomBytes;
const folder = mkdtempSync(join(process.env.TMPDIR === undefined && hasRoom() ? memory : tmpdir(), "platform-test-"));
process.env.TMPDIR = folder;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// The bundles of the Workers, which all test workers share. See test/support/platform/bundles.ts.
process.env.PLATFORM_TEST_BUNDLES = join(folder, "bundles");

// Dozens of processes load wrangler and the command line. With this cache, a process reuses what earlier ones compiled.
process.env.NODE_COMPILE_CACHE ??= new URL("./.generated/compile-cache", import.meta.url).pathname;

// workerd reads its extra trust anchors when miniflare loads, so this precedes the import of the plugin.
process.env.NODE_EXTRA_CA_CERTS = new URL("./test/support/tls/ca.pem", import.meta.url).pathname;
const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-plugin");

const emailMigrations = await readD1Migrations(new URL("./db/email/migrations", import.meta.url).pathname);

// Writes the files that the Workers serve, such as the OpenAPI documents, so that they match the routes under test.
await writeWorkerAssets();
const library = await libraryStatements({ isSmall: true });
const settings = await loadSettings();

/**
 * Returns every variable of a service with a blank value, which counts as unset. Neither wrangler.toml nor a developer's local
 * file then affects the tests.
 */
const unset = (service: Service) => Object.fromEntries(settings[service].map(({ name }) => [name, ""]));

const bundled = [
  "zod",
  "hono/hono-base",
  "hono/router/trie-router",
  "hono/html",
  "hono/jsx/jsx-runtime",
  "jose",
  "ipaddr.js",
  "mimetext/browser",
  "html-to-text",
  "drizzle-orm",
  "drizzle-orm/sqlite-core",
];

/**
 * A test that takes longer counts as hung. No test takes this long, even on a busy machine. Tests of speed measure the time
 * themselves.
 */
const HANGING_MS = 60_000;

const unavailable = async () => new Response(null, { status: 503 });
/** A Worker without RPC methods, so that each call is rejected. A function has no RPC handler, which workerd logs as an error. */
const unavailableRpc = {
  name: "unavailable-rpc",
  modules: true,
  compatibilityDate: "2026-01-01",
  script: 'import { WorkerEntrypoint } from "cloudflare:workers"; export default class extends WorkerEntrypoint {}',
};

// All projects share these test workers. Each of them loads the modules of a project again, and starts its own platform and browser.
// Tests wait part of their time for clocks and sockets, so three test workers keep two cores busy.
const maxWorkers = 3;

/** The global setup of a service's tests, and the folders of test/kit whose tests run inside that service. */
type Additions = { globalSetup: string[]; kitFolders: string[] };
const additions: Readonly<Partial<Record<Service, Additions>>> = {
  identity: { globalSetup: ["./test/support/webhooks/receivers.ts"], kitFolders: ["webhooks", "jobs"] },
  email: { globalSetup: ["./test/support/mail/mail-servers.ts"], kitFolders: ["net"] },
};

/** Returns the project with the tests of a service, and with the folders of test/kit whose tests need a service. */
const workerd = (service: Service, { globalSetup, kitFolders }: Additions) => ({
  extends: false as const,
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: `./workers/${service}/wrangler.toml` },
      miniflare: {
        // Other services do not respond. A test that needs one passes its own double of that service.
        serviceBindings: {
          EMAIL: unavailable,
          IDENTITY: unavailable,
          IDENTITY_RPC: unavailableRpc.name,
          STORAGE_RPC: unavailableRpc.name,
          HOSTING_RPC: unavailableRpc.name,
        },
        workers: [unavailableRpc],
        // No wrangler.toml has this binding: only deployments with EMAIL_PLATFORM_TRANSPORT=cloudflare have it.
        ...(service === "email" ? { email: { send_email: [{ name: "SEND_EMAIL" }] } } : {}),
        bindings: {
          ...unset(service),
          ...testVarsOf(service),
          TEST_SCHEMA: joinStatements(migratedSchema(service)),
          TEST_MIGRATIONS: service === "email" ? emailMigrations : [],
          TEST_LIBRARY: service === "email" ? joinStatements(library) : [],
        },
      },
    })),
  ],
  resolve: {
    alias: [
      {
        find: /^\.\/limiter-timeout$/,
        replacement: new URL("./test/support/patient-limits.ts", import.meta.url).pathname,
      },
    ],
  },
  test: {
    name: service,
    maxWorkers,
    include: [`test/${service}/**/*.test.ts`, ...kitFolders.map((folder) => `test/kit/${folder}/**/*.test.ts`)],
    setupFiles: [
      "./test/support/hold-logs.ts",
      "./test/support/present-time.ts",
      "./test/support/db/migrated/create-schema.ts",
    ],
    globalSetup,
    isolate: false,
    fsModuleCache: false,
    // Every test worker loads these packages again. One bundled file per package loads faster than its hundreds of files.
    deps: { optimizer: { ssr: { enabled: true, include: bundled } } },
    // Vitest does not intercept the console: log lines written after the end of their test would use a closing channel.
    disableConsoleIntercept: true,
    testTimeout: HANGING_MS,
    expect: { poll: { timeout: 10_000 } },
  },
});

const node = (name: string, folders: string[], timeout = HANGING_MS) => ({
  extends: false as const,
  test: {
    name,
    maxWorkers,
    isolate: false,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    testTimeout: timeout,
    hookTimeout: 120_000,
    // Long enough for a busy machine. A test of a time limit measures the time itself.
    expect: { poll: { timeout: timeout / 3 } },
  },
});

/**
 * The projects in the order in which they start. A test worker that finds no more files of a project starts the next one, so that
 * no processor idles while the last files of a project run. A test worker runs the files of a project in one process, so the files
 * of different projects do not alternate. The last project has many short files, so all test workers end at the same time.
 */
const projectOrder = ["e2e", "email", "storage", "identity", "hosting", "kit", "unit"];

/** The slowest files, from the list that `.ci/run` prints. They start first in their project. */
const longest = [
  "/integration/kill",
  "/e2e/shell-sign-in",
  "/e2e/shell-storage",
  "/e2e/oauth",
  "/integration/manage",
  "/e2e/",
  "/integration/",
  "/storage/tus/kills",
  "/deploy/faults/builds",
  "/deploy/faults/",
  "/dispatch/slow-receivers",
  "/dispatch/claims",
  "/jobs/crons",
  "/unit/bundles",
  "/unit/api-documents",
  "/unit/cli/commands",
];

/**
 * A long file of each project that starts last in it. While it runs, the other test workers load the next project; otherwise all
 * of them would load it at the same time, which keeps only one processor busy.
 */
const overlapping = ["/e2e/shell-trust", "/email/routes", "/storage/routes", "/identity/routes", "/hosting/routes"];

const PLACES_PER_PROJECT = 100;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification) => {
      const startOfProject = projectOrder.indexOf(project.name) * PLACES_PER_PROJECT;
      if (overlapping.some((part) => moduleId.includes(part))) return startOfProject + PLACES_PER_PROJECT - 1;
      const place = longest.findIndex((part) => moduleId.includes(part));
      return startOfProject + (place < 0 ? longest.length : place);
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      node("unit", ["unit", "deploy"]),
      {
        extends: false,
        plugins: [
          cloudflareTest({
            main: "./test/kit/durable-objects/worker.ts",
            miniflare: {
              compatibilityDate: "2026-10-01",
              d1Databases: ["DB"],
              durableObjects: {
                RATE_LIMITER: { className: "RateLimiter", useSQLite: true },
                BROKER: { className: "JobLock", useSQLite: true },
              },
            },
          }),
        ],
        test: {
          name: "kit",
          maxWorkers,
          include: ["test/kit/{db,durable-objects}/**/*.test.ts"],
          isolate: false,
          testTimeout: HANGING_MS,
        },
      },
      ...services.map((service) => workerd(service, additions[service] ?? { globalSetup: [], kitFolders: [] })),
      // One project for both folders, so that all files of a test worker share the platform that it started.
      // Longer than ACTION_TIMEOUT_MS in test/support/platform/chromium.ts.
      node("e2e", ["integration", "e2e"], 3 * HANGING_MS),
    ],
  },
});
