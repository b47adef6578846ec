import { fork } from "node:child_process";
import type { TestProject } from "vitest/node";
import type { WebhookReceivers } from "./webhook-receivers-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    webhookReceivers: WebhookReceivers;
  }
}

/** Vitest global set-up: the receivers of webhooks in a Node process of their own, since code inside workerd cannot listen. */
export async function setup(project: TestProject): Promise<() => void> {
  const receivers = fork(new URL("./webhook-receivers-process.ts", import.meta.url));
  const ready = await new Promise<WebhookReceivers>((resolve, reject) => {
    receivers.once("message", (message) => resolve(message as WebhookReceivers));
    receivers.once("exit", (code) => reject(new Error(`the receivers ended with code ${code}`)));
  });
  project.provide("webhookReceivers", ready);
  return () => {
    receivers.kill();
  };
}
