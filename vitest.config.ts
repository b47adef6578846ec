import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { libraryStatements } from "./scripts/support/databases/library.ts";
import { writeWorkerAssets } from "./scripts/support/documents/worker-assets.ts";
import { type Service, services } from "./scripts/support/services.ts";
import { loadSettings } from "./scripts/support/settings-tables.ts";
import { testVarsOf } from "./test/support/settings.ts";

// The databases of a run are many small writes: where memory has room for files, they take a fraction of the time there.
const memory = "/dev/shm";
const roomBytes = 2 ** 30;
if (process.env.TMPDIR === undefined && existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > roomBytes) {
    const folder = mkdtempSync(join(memory, "platform-test-"));
    process.env.TMPDIR = folder;
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
}

// Dozens of processes load wrangler and the command line: what one has compiled the next ones take over.
process.env.NODE_COMPILE_CACHE ??= new URL("./.generated/compile-cache", import.meta.url).pathname;

// workerd reads its extra trust anchors when miniflare loads, so this stands before the import of the plugin.
process.env.NODE_EXTRA_CA_CERTS = new URL("./test/support/tls/ca.pem", import.meta.url).pathname;
const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-plugin");

const migrations = async (service: string) =>
  readD1Migrations(new URL(`./db/${service}/migrations`, import.meta.url).pathname);

// What the Workers serve as their documents is made from the routes that are tested.
await writeWorkerAssets();
const library = await libraryStatements({ isSmall: true });
const settings = await loadSettings();

/** Every variable, blank and so unset: neither wrangler.toml nor a file of the developer decides what a test sees. */
const unset = (service: Service) => Object.fromEntries(settings[service].map(({ name }) => [name, ""]));

const bundled = [
  "zod",
  "hono/hono-base",
  "hono/router/trie-router",
  "hono/html",
  "hono/jsx/jsx-runtime",
  "jose",
  "ipaddr.js",
  "drizzle-orm",
  "drizzle-orm/sqlite-core",
];

/** A test that takes so long hangs: a busy machine alone makes none that slow. What has to be quick measures it. */
const HANGING_MS = 60_000;

const unavailable = async () => new Response(null, { status: 503 });

// Projects run one after the other, because each has its own workers. What waits most comes first.
const projectOrder = ["e2e", "email", "storage", "hosting", "identity", "kit", "unit"];
const inOrder = (project: string) => ({ sequence: { groupOrder: projectOrder.indexOf(project) } });

// Tests wait a good part of their time for clocks and sockets, so two cores carry four workers.
const WORKERS = 4;
/** For projects with a few seconds of tests, where the start of a Workers runtime costs more than a worker saves. */
const FEW_WORKERS = 2;

/** What starts before the tests of a service, and the rooms of the kit whose tests run inside it. */
type Additions = { globalSetup: string[]; kitRooms: string[]; maxWorkers?: number };
const additions: Readonly<Partial<Record<Service, Additions>>> = {
  identity: { globalSetup: ["./test/support/webhooks/receivers.ts"], kitRooms: ["webhooks", "jobs"] },
  email: { globalSetup: ["./test/support/mail/mail-servers.ts"], kitRooms: ["net"] },
  hosting: { globalSetup: [], kitRooms: [], maxWorkers: FEW_WORKERS },
};

/** The tests of a service, and those rooms of the kit whose tests need a service around them. */
const workerd = (service: Service, { globalSetup, kitRooms, maxWorkers = WORKERS }: Additions) => ({
  extends: false as const,
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: `./workers/${service}/wrangler.toml` },
      miniflare: {
        // Siblings are controlled by the tests: each passes its own double of the sibling's wire.
        serviceBindings: { EMAIL: unavailable, IDENTITY: unavailable, IDENTITY_RPC: unavailable },
        bindings: {
          ...unset(service),
          ...testVarsOf(service),
          TEST_MIGRATIONS: await migrations(service),
          TEST_LIBRARY: service === "email" ? library : [],
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
    ...inOrder(service),
    maxWorkers,
    include: [`test/${service}/**/*.test.ts`, ...kitRooms.map((room) => `test/kit/${room}/**/*.test.ts`)],
    setupFiles: [
      "./test/support/hold-logs.ts",
      "./test/support/present-time.ts",
      "./test/support/db/apply-migrations.ts",
    ],
    globalSetup,
    isolate: false,
    fsModuleCache: false,
    // Every worker loads these again: as one file each they are there sooner than as the hundreds that they are.
    deps: { optimizer: { ssr: { enabled: true, include: bundled } } },
    // Lines that come after their test would be sent over a channel that is closing.
    disableConsoleIntercept: true,
    testTimeout: HANGING_MS,
    expect: { poll: { timeout: 10_000 } },
  },
});

const node = (name: string, folders: string[], timeout = HANGING_MS) => ({
  extends: false as const,
  test: {
    name,
    ...inOrder(name),
    maxWorkers: WORKERS,
    isolate: false,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    testTimeout: timeout,
    hookTimeout: 120_000,
    // Conditions are waited for however busy the machine is; what has to happen within a time measures it.
    expect: { poll: { timeout: 20_000 } },
  },
});

/** Files that take longest, by `.ci/run`'s list of the slowest: they begin first, so that none runs alone at the end. */
const longest = [
  "/e2e/shell-accessibility",
  "/integration/kill",
  "/e2e/shell-views",
  "/e2e/shell-sign-in",
  "/e2e/shell-storage",
  "/integration/manage",
  "/e2e/shell-command",
  "/e2e/",
  "/integration/",
  "/email/routes",
  "/storage/routes",
  "/storage/tus/kills",
  "/dispatch/slow-receivers",
  "/identity/routes",
  "/dispatch/claims",
  "/jobs/crons",
  "/unit/cli/leaks",
  "/unit/scripts/start-databases",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((part) => moduleId.includes(part));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      node("unit", ["unit"]),
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
          ...inOrder("kit"),
          maxWorkers: FEW_WORKERS,
          include: ["test/kit/{db,durable-objects}/**/*.test.ts"],
          isolate: false,
          testTimeout: HANGING_MS,
        },
      },
      ...services.map((service) => workerd(service, additions[service] ?? { globalSetup: [], kitRooms: [] })),
      // One project, so that files of both folders share the platforms of their workers.
      node("e2e", ["integration", "e2e"], 2 * HANGING_MS),
    ],
  },
});
