import { fork } from "node:child_process";
import type { TestProject } from "vitest/node";
import type { WebhookReceivers } from "./receivers-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    webhookReceivers: WebhookReceivers;
  }
}

/** Starts the receivers in a separate Node process; `stop` ends it. */
export async function startReceivers(): Promise<{ receivers: WebhookReceivers; stop: () => void }> {
  const child = fork(new URL("./receivers-process.ts", import.meta.url));
  const receivers = await new Promise<WebhookReceivers>((resolve, reject) => {
    child.once("message", (message) => resolve(message as WebhookReceivers));
    child.once("exit", (code) => reject(new Error(`the receivers ended with code ${code}`)));
  });
  return { receivers, stop: () => void child.kill() };
}

/** Vitest global set-up. The receivers are a separate process, because code inside workerd cannot listen. */
export async function setup(project: TestProject): Promise<() => void> {
  const { receivers, stop } = await startReceivers();
  project.provide("webhookReceivers", receivers);
  return stop;
}
