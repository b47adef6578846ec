import { env } from "cloudflare:test";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { services } from "../../../workers/hosting/services";
import worker from "../../../workers/hosting/worker";
import { type Sibling, type SiblingOptions, startSibling } from "../sibling/sibling";

/** The bindings of the Worker in vitest.config.ts. */
export const testEnv = env as unknown as HostingBindings;

/**
 * Starts the Worker with the real database, queues and Durable Objects. Identity is a test double with its own signing
 * key.
 */
export const startHosting = (options?: SiblingOptions<HostingBindings>) => startSibling("hosting", worker, options);

/** Hosting for the suites that run for every service except identity. */
export const hosting = { service: "hosting", worker, services, testEnv, start: startHosting } as unknown as Sibling;
