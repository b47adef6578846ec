import { WorkerEntrypoint } from "cloudflare:workers";
import type {
  OperationsReport,
  OperationsRpcMethods,
  ReadObjectInput,
  ReadObjectResult,
  StorageRpcMethods,
} from "../../schemas/rpc";
import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import { readOperationsReport } from "../kit/overview/operations-report";
import type { StorageBindings } from "./bindings";
import { readObjectForService } from "./downloads/service-read";
import { storageOverview } from "./overview/overview";
import { services } from "./services";

/** The RPC methods for other services. They are not reachable over HTTP. */
export class StorageRpc extends WorkerEntrypoint<StorageBindings> implements StorageRpcMethods, OperationsRpcMethods {
  private open() {
    const requestId = uuid();
    const log = createLog({ service: "storage", request_id: requestId });
    return services(this.env, { requestId, log, waitUntil: (work) => this.ctx.waitUntil(work) });
  }

  /** Returns the bytes of an object of a company, or why they are not returned. */
  async readObject(input: ReadObjectInput): Promise<ReadObjectResult> {
    return readObjectForService(this.open(), input);
  }

  /** Returns the counts that need attention in all companies, and the health of the jobs. */
  async operationsReport(): Promise<OperationsReport> {
    return readOperationsReport(this.open(), storageOverview);
  }
}
