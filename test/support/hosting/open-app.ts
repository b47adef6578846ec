import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { Apps } from "../../../workers/hosting/serving/app-hosts";

/** Sends a request to the host of an app, without following redirects. Returns the response read in full. */
export async function openApp(bindings: HostingBindings, url: string, init: RequestInit = {}) {
  const ctx = createExecutionContext();
  const response = await new Apps(ctx, bindings).fetch(new Request(url, { redirect: "manual", ...init }));
  const bytes = new Uint8Array(await response.arrayBuffer());
  await waitOnExecutionContext(ctx);
  return { status: response.status, headers: response.headers, text: new TextDecoder().decode(bytes), bytes };
}
