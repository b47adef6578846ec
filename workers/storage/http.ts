import type { Context } from "hono";
import type { AdminCaller } from "../kit/auth/caller";
import type { createCalls } from "../kit/http/call";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { StorageScopes } from "./access/authorize";
import type { StorageBindings } from "./bindings";
import type { ErrorCode } from "./problem";
import type { StorageServices } from "./services";

export type StorageEnv = ServiceEnv<StorageBindings, StorageServices>;

/** The input of mount functions: `call` for JSON requests of users, `route` for byte streams and requests without a token. */
export type StorageService = Service<StorageEnv> & {
  call: ReturnType<typeof createCalls<StorageServices, StorageScopes, AdminCaller, StorageEnv, ErrorCode>>;
};

/** The context of a handler. */
export type StorageContext = Context<StorageEnv>;
