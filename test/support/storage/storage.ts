import { env } from "cloudflare:test";
import type { StorageBindings } from "../../../workers/storage/bindings";
import { services } from "../../../workers/storage/services";
import worker from "../../../workers/storage/worker";
import { type Sibling, type SiblingOptions, startSibling } from "../sibling/sibling";

/** The bindings of the Worker in vitest.config.ts. */
export const testEnv = env as unknown as StorageBindings;

/**
 * Starts the Worker with the real database, bucket, queues and Durable Objects. Identity is a test double with its own
 * signing key.
 */
export const startStorage = (options?: SiblingOptions<StorageBindings>) => startSibling("storage", worker, options);

/** Storage for the suites that run for every service except identity. */
export const storage = { service: "storage", worker, services, testEnv, start: startStorage } as unknown as Sibling;
