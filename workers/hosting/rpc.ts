import { WorkerEntrypoint } from "cloudflare:workers";
import type { OperationsReport, OperationsRpcMethods } from "../../schemas/rpc";
import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import { readOperationsReport } from "../kit/overview/operations-report";
import type { HostingBindings } from "./bindings";
import { hostingOverview } from "./overview/overview";
import { services } from "./services";

/** The RPC methods for other services. They are not reachable over HTTP. */
export class HostingRpc extends WorkerEntrypoint<HostingBindings> implements OperationsRpcMethods {
  /** Returns the counts that need attention in all companies, and the health of the jobs. */
  async operationsReport(): Promise<OperationsReport> {
    const requestId = uuid();
    const log = createLog({ service: "hosting", request_id: requestId });
    const waitUntil = (work: Promise<unknown>) => this.ctx.waitUntil(work);
    return readOperationsReport(services(this.env, { requestId, log, waitUntil }), hostingOverview);
  }
}
