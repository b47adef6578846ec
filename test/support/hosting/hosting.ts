import { env } from "cloudflare:test";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { services } from "../../../workers/hosting/services";
import worker from "../../../workers/hosting/worker";
import { type Sibling, type SiblingOptions, startSibling } from "../sibling/sibling";

/** The bindings that vitest.config.ts gives the Worker. */
export const testEnv = env as unknown as HostingBindings;

/** The Worker over the real database, queues and Durable Objects; identity is a double with its own key. */
export const startHosting = (options?: SiblingOptions<HostingBindings>) => startSibling("hosting", worker, options);

/** Hosting for the suites of every service beside identity, which know no more of it. */
export const hosting = { service: "hosting", worker, services, testEnv, start: startHosting } as unknown as Sibling;
