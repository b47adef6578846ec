import { WorkerEntrypoint } from "cloudflare:workers";
import type { HostingBindings } from "../bindings";
import { serveApps } from "./serve";

/** The entrypoint for the hosts of apps. The edge sends it every request whose host belongs to no service. It has no API routes. */
export class Apps extends WorkerEntrypoint<HostingBindings> {
  /** Returns the file, redirect or page that the host of the request has at its path. */
  override fetch(request: Request): Promise<Response> {
    return serveApps(request, this.env, this.ctx);
  }
}
