import { WorkerEntrypoint } from "cloudflare:workers";
import { identityErrors } from "../../schemas/identity/errors";
import type {
  AudienceInput,
  AudienceResult,
  FailedDeploymentNotice,
  HostingRedirectInput,
  HostingRedirectResult,
  IdentityRpcMethods,
  IntrospectInput,
  IntrospectResult,
  MembershipsInput,
  MembershipsResult,
  OperationsReport,
  PausedBulkNotice,
  QuotaNotice,
  RedirectOriginsResult,
  RuleNotice,
  StaffMember,
} from "../../schemas/rpc";
import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import { readOperationsReport } from "../kit/overview/operations-report";
import type { IdentityBindings } from "./bindings";
import { introspect } from "./caller/credentials/introspection";
import { type CompanyName, findCompanyName } from "./company/company/company";
import { listActiveMembers } from "./company/memberships/active-members";
import { readRedirectOrigins, setHostingRedirect } from "./company/redirects/hosting-origin";
import {
  queueFailedDeploymentNotices,
  queueNotices,
  queuePausedBulkNotices,
  queueQuotaNotices,
} from "./mail/outbox/notice";
import { listStaff } from "./operations/operator/staff";
import { identityOverview } from "./operations/overview/overview";
import { services } from "./services";
import { readGrantedAudience } from "./users/audience/granted-audience";

/** The RPC methods for other services. They are not reachable over HTTP. */
export class IdentityRpc extends WorkerEntrypoint<IdentityBindings> implements IdentityRpcMethods {
  private open() {
    const requestId = uuid();
    const log = createLog({ service: "identity", request_id: requestId });
    return services(this.env, { requestId, log, waitUntil: (work) => this.ctx.waitUntil(work) });
  }

  /** Authenticates a bearer token. Returns the caller's live values, or the status and code of the rejection. */
  async introspect(input: IntrospectInput): Promise<IntrospectResult> {
    const statusOf = (code: string) => identityErrors[code as keyof typeof identityErrors]?.status ?? 401;
    return introspect(this.open(), input, statusOf);
  }

  /** Returns `{id, slug, name}` of a company, or null. */
  async company(input: { company_id: number }): Promise<CompanyName | null> {
    return findCompanyName(this.open(), input.company_id);
  }

  /** Returns the ids of the users who may act in the company now. */
  async memberships(input: MembershipsInput): Promise<MembershipsResult> {
    return listActiveMembers(this.open(), input);
  }

  /** Returns a page of the audience of a scheduled broadcast while the user of its grant may send. */
  async audience(input: AudienceInput): Promise<AudienceResult> {
    return readGrantedAudience(this.open(), input);
  }

  /** Returns the active staff, at most 50. */
  async staff(): Promise<StaffMember[]> {
    return listStaff(this.open());
  }

  /** Returns the counts that need attention in all companies, and the health of the jobs. */
  async operationsReport(): Promise<OperationsReport> {
    return readOperationsReport(this.open(), identityOverview);
  }

  /** Queues mails to the owners of webhook subscriptions that have begun to fail. */
  async notifyOwners({ notices }: { notices: readonly RuleNotice[] }): Promise<void> {
    await queueNotices(this.open(), notices);
  }

  /** Queues mails to the owners of companies whose bulk mail was paused because of complaints. */
  async notifyOfPausedBulk({ notices }: { notices: readonly PausedBulkNotice[] }): Promise<void> {
    await queuePausedBulkNotices(this.open(), notices);
  }

  /** Queues mails to the owners of companies with failed deployments. */
  async notifyOfFailedDeployments({ notices }: { notices: readonly FailedDeploymentNotice[] }): Promise<void> {
    await queueFailedDeploymentNotices(this.open(), notices);
  }

  /** Queues mails to the owners of companies whose file storage is almost full. */
  async notifyOfQuotas({ notices }: { notices: readonly QuotaNotice[] }): Promise<void> {
    await queueQuotaNotices(this.open(), notices);
  }

  /** Adds the origin of an app to the redirect allowlist of its company, or removes it. */
  async setHostingRedirect(input: HostingRedirectInput): Promise<HostingRedirectResult> {
    return setHostingRedirect(this.open(), input);
  }

  /** Returns the active origins of a company's redirect allowlist. */
  async redirectOrigins(input: { company_id: number }): Promise<RedirectOriginsResult> {
    return readRedirectOrigins(this.open(), input);
  }
}
