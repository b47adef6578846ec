import type { Context } from "hono";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { EmailBindings } from "./bindings";
import type { EmailServices } from "./services";

type EmailEnv = ServiceEnv<EmailBindings, EmailServices>;

/** What a `mount…` function of routes/ gets. */
export type EmailService = Service<EmailEnv>;

/** The context of a handler. */
export type EmailContext = Context<EmailEnv>;
