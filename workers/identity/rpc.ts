import { WorkerEntrypoint } from "cloudflare:workers";
import { identityErrors } from "../../schemas/identity/errors";
import type { IdentityRpcMethods, IntrospectInput, IntrospectResult } from "../../schemas/rpc";
import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import { type CompanyRow, findCompany } from "./account/person.store";
import type { IdentityBindings } from "./bindings";
import { introspect } from "./caller/caller";
import { services } from "./services";

/** What siblings ask over their bindings (identity details 4.5); not reachable by HTTP. */
export class IdentityRpc extends WorkerEntrypoint<IdentityBindings> implements IdentityRpcMethods {
  private open() {
    const requestId = uuid();
    const log = createLog({ service: "identity", request_id: requestId });
    return services(this.env, { requestId, log, waitUntil: (work) => this.ctx.waitUntil(work) });
  }

  /** Live facts about a bearer, or the status and code of its refusal. */
  async introspect(input: IntrospectInput): Promise<IntrospectResult> {
    const statusOf = (code: string) => identityErrors[code as keyof typeof identityErrors]?.status ?? 401;
    return introspect(this.open(), input, statusOf);
  }

  /** `{id, slug, name}` of a company, or null. */
  async company(input: { company_id: number }): Promise<{ id: number; slug: string; name: string } | null> {
    const { db } = this.open();
    const row = await db.first<CompanyRow>(findCompany.bind(db, input.company_id));
    return row ? { id: row.id, slug: row.slug, name: row.name } : null;
  }
}
