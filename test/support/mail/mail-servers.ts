import { fork } from "node:child_process";
import type { TestProject } from "vitest/node";
import type { MailServers } from "./mail-servers-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    mailServers: MailServers;
  }
}

/**
 * Vitest global set-up: starts the servers of the provider tests in a separate Node process. Code inside workerd cannot
 * listen, and the module runner of vitest's main process loses socket errors.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const servers = fork(new URL("./mail-servers-process.ts", import.meta.url));
  const ready = await new Promise<MailServers>((resolve, reject) => {
    servers.once("message", (message) => resolve(message as MailServers));
    servers.once("exit", (code) => reject(new Error(`the mail servers ended with code ${code}`)));
  });
  project.provide("mailServers", ready);
  return () => {
    servers.kill();
  };
}
