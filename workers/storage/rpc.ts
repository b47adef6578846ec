import { WorkerEntrypoint } from "cloudflare:workers";
import type { ReadObjectInput, ReadObjectResult, StorageRpcMethods } from "../../schemas/rpc";
import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import type { StorageBindings } from "./bindings";
import { readObjectForService } from "./downloads/service-read";
import { services } from "./services";

/** The RPC methods for other services. They are not reachable over HTTP. */
export class StorageRpc extends WorkerEntrypoint<StorageBindings> implements StorageRpcMethods {
  /** Returns the bytes of an object of a company, or why they are not returned. */
  async readObject(input: ReadObjectInput): Promise<ReadObjectResult> {
    const requestId = uuid();
    const log = createLog({ service: "storage", request_id: requestId });
    return readObjectForService(
      services(this.env, { requestId, log, waitUntil: (work) => this.ctx.waitUntil(work) }),
      input,
    );
  }
}
