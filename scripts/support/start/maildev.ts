import { type Child, startChild } from "../processes/children.ts";
import { isPortFree } from "../processes/ports.ts";
import { waitFor } from "../processes/wait.ts";

/** Starts the local mail server on 127.0.0.1, with SMTP on one port and the inbox and its REST API on another. */
export async function startMaildev(ports: { smtp: number; web: number }, directory: string): Promise<Child> {
  const args = ["--ip", "127.0.0.1", "--smtp", String(ports.smtp), "--web", String(ports.web)];
  const child = startChild("node_modules/maildev/bin/maildev", [...args, "--mail-directory", directory, "--silent"]);
  await waitFor(`the inbox on port ${ports.web}`, child, async () => {
    const response = await fetch(`http://127.0.0.1:${ports.web}/healthz`);
    return response.ok && !(await isPortFree(ports.smtp));
  });
  return child;
}
