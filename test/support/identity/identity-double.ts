import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type {
  ActiveCaller,
  AudienceInput,
  AudienceMember,
  FailedDeploymentNotice,
  HostingRedirectInput,
  IdentityRpcMethods,
  IntrospectInput,
  IntrospectResult,
  OperationsReport,
  PausedBulkNotice,
  QuotaNotice,
  RuleNotice,
  StaffMember,
} from "../../../schemas/rpc";

const ISSUER = "http://localhost:8787/identity";

/** The facts that identity returns about a bearer. */
export type TestUser = {
  userId?: number;
  companyId?: number | null;
  email?: string;
  isStaff?: boolean;
  isOwner?: boolean;
  pat?: { readOnly?: boolean; agm?: boolean };
};

/** A request for an audience that identity received, over HTTP with a bearer or by RPC with a grant. */
type AudienceRequest = { companyId: number; filter: Record<string, string>; bearer?: string; grantedBy?: number };

/** Replaces the introspection result of identity; a thrown error means that identity is unreachable. */
export type Introspect = (input: IntrospectInput) => Promise<IntrospectResult>;

// RSA keys are slow to generate, so all doubles of an isolate share one. Each double has its own key id, so tokens of
// one double are invalid for another.
const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const jwk = await exportJWK(publicKey);

/** The report of a service without any condition. */
export const HEALTHY_REPORT: OperationsReport = {
  entries: [],
  jobs: [],
  scheduler_state: "running",
  broker_reachable: true,
};

/** Creates a test double of identity for other services: a key set, introspection, and tokens signed with its key. */
export async function createIdentityDouble(introspect?: Introspect) {
  const kid = crypto.randomUUID();
  const introspected: IntrospectInput[] = [];
  const live = new Map<string, ActiveCaller>();
  const ruleNotices: RuleNotice[] = [];
  const pausedBulkNotices: PausedBulkNotice[] = [];
  const deploymentNotices: FailedDeploymentNotice[] = [];
  const quotaNotices: QuotaNotice[] = [];
  const redirects = new Map<number, Set<string>>();
  const redirectChanges: HostingRedirectInput[] = [];
  let redirectFailure: "limit_reached" | "invalid" | null = null;
  const members = new Set<string>();
  const audiences = new Map<number, AudienceMember[]>();
  let staff: StaffMember[] = [];
  let report = HEALTHY_REPORT;
  const audienceRequests: AudienceRequest[] = [];
  let isUnavailable = false;
  let invalidFilter: string | null = null;
  let keySetReads = 0;
  let isKeySetAway = false;

  /** Returns the redirect allowlist of a company, which is empty at first. */
  function originsOf(companyId: number): Set<string> {
    const origins = redirects.get(companyId) ?? new Set<string>();
    redirects.set(companyId, origins);
    return origins;
  }

  /** Returns a page of the audience after the user id in the cursor. Of the filters, only `user_ids` applies. */
  function audiencePage(companyId: number, filter: Record<string, string>, page: { cursor: string; size: number }) {
    const ids = filter.user_ids?.split(",").map(Number);
    const isListed = ({ id }: AudienceMember) => ids === undefined || ids.includes(id);
    const matching = (audiences.get(companyId) ?? []).filter(isListed);
    const following = matching.filter(({ id }) => id > Number(page.cursor || 0));
    const results = following.slice(0, page.size);
    const next_cursor = following.length > page.size ? String(results.at(-1)?.id) : null;
    return { count: matching.length, results, next_cursor };
  }

  async function audience({ company_id, granted_by, filter, cursor, page_size }: AudienceInput) {
    if (isUnavailable) throw new Error("identity is unavailable");
    audienceRequests.push({ companyId: company_id, filter: { ...filter }, grantedBy: granted_by });
    if (!members.has(`${company_id}:${granted_by}`)) return { ok: false, reason: "not_permitted" } as const;
    if (invalidFilter !== null) return { ok: false, reason: "invalid", field: invalidFilter } as const;
    const { results, next_cursor } = audiencePage(company_id, filter, { cursor, size: page_size });
    return { ok: true, results, next_cursor } as const;
  }

  function audienceResponse(request: Request): Response {
    if (isUnavailable) return new Response(null, { status: 503 });
    const bearer = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    const {
      company_id,
      cursor = "",
      page_size = "100",
      ...filter
    } = Object.fromEntries(new URL(request.url).searchParams);
    const companyId = Number(company_id);
    audienceRequests.push({ companyId, filter, bearer });
    const caller = live.get(bearer);
    if (caller === undefined) return Response.json({ error_code: "token_invalid" }, { status: 401 });
    const isPermitted = caller.is_staff || (caller.is_company_owner && caller.company_id === companyId);
    if (!isPermitted) return Response.json({ error_code: "forbidden" }, { status: 403 });
    if (invalidFilter !== null) {
      return Response.json({ error_code: "validation_failed", field: invalidFilter }, { status: 400 });
    }
    const { count, ...page } = audiencePage(companyId, filter, { cursor, size: Number(page_size) });
    return Response.json(filter.count_only === "true" ? { count } : page);
  }

  const rpc: IdentityRpcMethods = {
    audience,
    introspect: async (input) => {
      introspected.push(input);
      if (introspect) return introspect(input);
      const caller = live.get(input.token);
      if (!caller) return { active: false, status: 401, error_code: "token_invalid" };
      const isRefused = caller.pat_ro === true && !["GET", "HEAD", "OPTIONS"].includes(input.method);
      return isRefused ? { active: false, status: 403, error_code: "pat_read_only" } : caller;
    },
    company: async ({ company_id: id }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      return { id, slug: `company-${id}`, name: `Company ${id}` };
    },
    memberships: async ({ company_id, user_ids }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      return { active_user_ids: user_ids.filter((id) => members.has(`${company_id}:${id}`)) };
    },
    notifyOfPausedBulk: async ({ notices }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      pausedBulkNotices.push(...notices);
    },
    notifyOwners: async ({ notices }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      ruleNotices.push(...notices);
    },
    notifyOfQuotas: async ({ notices }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      quotaNotices.push(...notices);
    },
    notifyOfFailedDeployments: async ({ notices }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      deploymentNotices.push(...notices);
    },
    staff: async () => {
      if (isUnavailable) throw new Error("identity is unavailable");
      return staff;
    },
    operationsReport: async () => {
      if (isUnavailable) throw new Error("identity is unavailable");
      return report;
    },
    setHostingRedirect: async (input) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      redirectChanges.push(input);
      if (redirectFailure !== null) return { ok: false, reason: redirectFailure };
      const origins = originsOf(input.company_id);
      if (input.is_wanted) origins.add(input.base_url);
      else origins.delete(input.base_url);
      return { ok: true };
    },
    redirectOrigins: async ({ company_id }) => {
      if (isUnavailable) throw new Error("identity is unavailable");
      return { origins: [...originsOf(company_id)] };
    },
  };

  return {
    /** the bindings for another service */
    bindings: {
      IDENTITY: {
        fetch: async (input: RequestInfo, init?: RequestInit) => {
          const request = new Request(input, init);
          if (new URL(request.url).pathname === "/api/v1/users/audience") return audienceResponse(request);
          keySetReads += 1;
          if (isKeySetAway) return new Response(null, { status: 503 });
          return Response.json({ keys: [{ ...jwk, kid, alg: "RS256", use: "sig" }] });
        },
      } as unknown as Fetcher,
      IDENTITY_RPC: rpc,
    },
    /** the inputs of introspection requests */
    introspected,
    /** notices to owners that identity accepted */
    ruleNotices,
    /** notices about paused bulk mail that identity accepted */
    pausedBulkNotices,
    /** notices about failed deployments that identity accepted */
    deploymentNotices,
    quotaNotices,
    /** the active origins of the redirect allowlist of a company; tests may add and delete some */
    originsOf,
    /** the changes of redirect allowlists that identity received, in order */
    redirectChanges,
    /** Makes identity reject every change of a redirect allowlist for this reason; null accepts all. */
    rejectRedirects: (reason: "limit_reached" | "invalid" | null) => {
      redirectFailure = reason;
    },
    /** Sets the users whom the audience of a company contains, and makes them members. */
    setAudience(companyId: number, users: AudienceMember[]): void {
      audiences.set(companyId, users);
      for (const { id } of users) members.add(`${companyId}:${id}`);
    },
    /** Sets the active staff. */
    setStaff: (members: StaffMember[]) => {
      staff = members;
    },
    /** Changes what identity reports to the job `watch`; the rest is healthy. */
    setReport: (changes: Partial<OperationsReport>) => {
      report = { ...HEALTHY_REPORT, ...changes };
    },
    /** the requests for audiences, in order */
    audienceRequests,
    /** Makes identity reject this filter of every audience; null accepts all. */
    rejectFilter: (field: string | null) => {
      invalidFilter = field;
    },
    /** Sets whether calls of RPC methods other than introspection, and requests for audiences, fail. */
    setUnavailable: (unavailable: boolean) => {
      isUnavailable = unavailable;
    },
    keySetReads: () => keySetReads,
    /** Makes the key set unavailable. */
    loseKeySet: () => {
      isKeySetAway = true;
    },
    /**
     * Returns a token of a user. `claims` override the default claims, and `sign` overrides the double's signing key.
     */
    async token(user: TestUser, claims: Record<string, unknown> = {}, sign: { kid?: string; key?: CryptoKey } = {}) {
      const userId = user.userId ?? 7;
      const companyId = user.companyId === undefined ? null : user.companyId;
      const { pat } = user;
      const jwt = await new SignJWT({
        token_type: "access",
        user_id: String(userId),
        ...(companyId === null ? {} : { company_id: companyId }),
        email: user.email ?? "owner@example.com",
        is_staff: user.isStaff ?? false,
        user_metadata: { is_company_owner: user.isOwner ?? false },
        ...(pat ? { pat_id: crypto.randomUUID(), pat_ro: pat.readOnly ?? false, pat_agm: pat.agm ?? false } : {}),
        ...claims,
      })
        .setProtectedHeader({ alg: "RS256", kid: sign.kid ?? kid })
        .setIssuer((claims.iss as string | undefined) ?? ISSUER)
        .setAudience((claims.aud as string | undefined) ?? "platform")
        .setSubject(String(userId))
        .setJti(crypto.randomUUID())
        .setExpirationTime((claims.exp as number | undefined) ?? "5m")
        .sign(sign.key ?? privateKey);
      members.add(`${companyId}:${userId}`);
      live.set(jwt, {
        active: true,
        kind: pat ? "pat" : "session",
        user_id: userId,
        company_id: companyId ?? 0,
        email: user.email ?? "owner@example.com",
        is_staff: user.isStaff ?? false,
        is_company_owner: user.isOwner ?? false,
        groups: [],
        exp: Math.floor(Date.now() / 1000) + 300,
        ...(pat ? { pat_ro: pat.readOnly ?? false, pat_agm: pat.agm ?? false } : {}),
      });
      return jwt;
    },
    /** Ends a token, so that introspection rejects it. */
    revoke: (jwt: string) => void live.delete(jwt),
    /** Removes a member: introspection rejects their tokens of the company, and `memberships` omits them. */
    removeMember(companyId: number, userId: number): void {
      members.delete(`${companyId}:${userId}`);
      for (const [jwt, caller] of live) {
        if (caller.company_id === companyId && caller.user_id === userId) live.delete(jwt);
      }
    },
  };
}
