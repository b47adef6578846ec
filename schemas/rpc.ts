// Types and limits of RPC between Workers over service bindings. They are here because services do not import each other.

/**
 * The input of `introspect`, with which a service verifies a bearer token. `method` is the HTTP method of the request that the
 * service handles. `network` is the network of the client (IPv4 /24 or IPv6 /48). Identity stores it with the last use of a
 * personal access token.
 */
export type IntrospectInput = { token: string; method: string; company_id?: number; network?: string };

/** The current data of an accepted bearer token. `exp` and `auth_time` are in unix seconds. */
export type ActiveCaller = {
  active: true;
  kind: "session" | "pat";
  user_id: number;
  company_id: number;
  email: string;
  is_staff: boolean;
  is_company_owner: boolean;
  groups: string[];
  exp: number;
  auth_time?: number;
  sid?: string;
  pat_id?: string;
  pat_ro?: boolean;
  pat_agm?: boolean;
};

export type IntrospectResult = ActiveCaller | { active: false; status: number; error_code: string };

/**
 * The notification to owners that a webhook subscription is failing. `notice_at` (unix ms) identifies the notification.
 * `failing_since` is unix ms. `attempts` are the failed attempts of the deliveries that wait or were given up since then,
 * `waiting` the waiting deliveries; both are at most 1,000. `last_status` is the last response, `HTTP 503` or an error code such as `timeout`, or "".
 */
export type RuleNotice = {
  service: string;
  rule_id: number;
  company_id: number;
  rule_name: string;
  rule_event_type: string;
  host: string;
  failing_since: number | null;
  attempts: number;
  waiting: number;
  last_status: string;
  notice_at: number;
};

/**
 * The notification to owners that complaints paused the bulk mail of their company. `complaints` and `sent` count the mail of the
 * last seven days. `notice_at` (unix ms) identifies the notification.
 */
export type PausedBulkNotice = { company_id: number; complaints: number; sent: number; notice_at: number };

/**
 * The notification to owners that a deployment of an app failed. `error` is the code of the reason. `notice_at` (unix ms) is the
 * time of the failure, which identifies the notification together with the deployment.
 */
export type FailedDeploymentNotice = {
  company_id: number;
  app_id: string;
  deployment_id: string;
  /** the user who deployed */
  user_id: number;
  display_name: string;
  app_version: string;
  error: string;
  notice_at: number;
};

/**
 * The notification to owners that the files of their company use `threshold` percent (80 or 100) of its quota. `notice_at` (unix
 * ms) is when the usage reached it, or when an upload was rejected.
 */
export type QuotaNotice = {
  company_id: number;
  threshold: number;
  used_bytes: number;
  max_bytes: number;
  notice_at: number;
};

/** Maximum number of users per `memberships` call. */
export const MAX_MEMBERSHIPS = 300;

/**
 * The input of `memberships`, which checks the access of users to a company. `user_ids` has at most MAX_MEMBERSHIPS ids.
 * `include_inactive` also returns members who may not act in the company, for example because they were denied access.
 */
export type MembershipsInput = { company_id: number; user_ids: readonly number[]; include_inactive?: boolean };

/** The users who may currently act in the company, or who belong to it with `include_inactive`, in no particular order. */
export type MembershipsResult = { active_user_ids: number[] };

/** Maximum number of users in a page of an audience. */
export const MAX_AUDIENCE_PAGE = 1000;

/**
 * The input of `audience`, which returns a page of members to whom a broadcast goes. `granted_by` is the user who scheduled the
 * broadcast. `filter` has the parameters of `GET /api/v1/users/audience` without its page. `cursor` is `next_cursor` of the
 * previous page, or empty for the first one. `page_size` is at most MAX_AUDIENCE_PAGE.
 */
export type AudienceInput = {
  company_id: number;
  granted_by: number;
  filter: Readonly<Record<string, string>>;
  cursor: string;
  page_size: number;
};

/** A user of an audience. `language` is null when the user has not chosen `en` or `fr`. */
export type AudienceMember = {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  language: "en" | "fr" | null;
};

/**
 * A page of an audience. `not_permitted`: the user may no longer send for the company. `invalid`: a filter is invalid; `field`
 * is its parameter.
 */
export type AudienceResult =
  | { ok: true; results: AudienceMember[]; next_cursor: string | null }
  | { ok: false; reason: "not_permitted" }
  | { ok: false; reason: "invalid"; field: string };

/**
 * The input of `setHostingRedirect`. `base_url` is the origin of an app. With `is_wanted` the origin is added to the company's
 * redirect allowlist with this label; otherwise it is removed if hosting added it.
 */
export type HostingRedirectInput = { company_id: number; base_url: string; label: string; is_wanted: boolean };

/**
 * `company_not_found`: no company has the id. `limit_reached`: the allowlist is full. `invalid`: the label or the origin is not
 * allowed, for example http without `DEBUG`.
 */
export type HostingRedirectResult =
  | { ok: true }
  | { ok: false; reason: "company_not_found" | "limit_reached" | "invalid" };

/** Origins as browsers send them, such as `https://app.example.com`. */
export type RedirectOriginsResult = { origins: string[] };

/**
 * What a service reports to the job `watch`: the counts of its overview of all companies, the health of its jobs, and the state of
 * its scheduler. `is_capped`: the count is a lower bound. `broker_reachable` is null without a broker.
 */
export type OperationsReport = {
  entries: { code: string; count: number; is_capped: boolean }[];
  jobs: { job: string; health: "disabled" | "failing" | "overdue" | "healthy" }[];
  scheduler_state: "running" | "stale" | "no_broker" | "disabled";
  broker_reachable: boolean | null;
};

/** The method with which the job `watch` of email reads the state of another service. */
export interface OperationsRpcMethods {
  /** Returns the current state of the service. Throws when its database does not respond. */
  operationsReport(): Promise<OperationsReport>;
}

/** An active staff user. `language` is `en` if the user has not chosen one. */
export type StaffMember = { id: number; email: string; language: "en" | "fr" };

/** The methods of the entrypoint `IdentityRpc` of identity. Only service bindings can reach it. */
export interface IdentityRpcMethods extends OperationsRpcMethods {
  /** Returns the active staff, at most 50, the oldest accounts first. */
  staff(): Promise<StaffMember[]>;
  introspect(input: IntrospectInput): Promise<IntrospectResult>;
  company(input: { company_id: number }): Promise<{ id: number; slug: string; name: string } | null>;
  /**
   * Returns which users are active members of an active company, or any members of it with `include_inactive`. Active staff
   * count as members of every company. Throws for malformed input. A caller that gets no result must deny access.
   */
  memberships(input: MembershipsInput): Promise<MembershipsResult>;
  /**
   * Returns a page of an audience while the user of the grant is an active owner of the active company, or active staff.
   * Throws for malformed input other than filters.
   */
  audience(input: AudienceInput): Promise<AudienceResult>;
  /** Queues mail to the owners of failing webhook subscriptions. A repeated notification is accepted without a second mail. */
  notifyOwners(input: { notices: readonly RuleNotice[] }): Promise<void>;
  /** Queues mail to the owners of companies whose bulk mail was paused. A repeated notification is accepted without a second mail. */
  notifyOfPausedBulk(input: { notices: readonly PausedBulkNotice[] }): Promise<void>;
  /** Queues mail to the owners of companies with failed deployments. A repeated notification is accepted without a second mail. */
  notifyOfFailedDeployments(input: { notices: readonly FailedDeploymentNotice[] }): Promise<void>;
  /** Queues mail to the owners of companies whose quota is almost used up: at most one for each threshold and UTC day. */
  notifyOfQuotas(input: { notices: readonly QuotaNotice[] }): Promise<void>;
  /**
   * Adds or activates the origin of an app on the redirect allowlist of its company, or removes it if hosting added it. A
   * repeated call changes nothing. Throws for malformed input.
   */
  setHostingRedirect(input: HostingRedirectInput): Promise<HostingRedirectResult>;
  /** Returns the active origins of a company's redirect allowlist, at most 200. Throws for malformed input. */
  redirectOrigins(input: { company_id: number }): Promise<RedirectOriginsResult>;
}

/** The input of `readObject`. `path` is the path in the bucket. Objects of more than `max_bytes` are not read. */
export type ReadObjectInput = { company_id: number; bucket: string; path: string; max_bytes: number };

/**
 * The bytes of an object with its size in bytes, or the reason why they are not returned. `encoded`: the object is stored with
 * a Content-Encoding.
 */
export type ReadObjectResult =
  | { ok: true; size: number; mime_type: string; body: ReadableStream<Uint8Array> }
  | { ok: false; reason: "bucket_not_found" | "object_not_found" | "too_large" | "encoded" };

/** The methods of the entrypoint `StorageRpc` of storage. Only service bindings can reach it. */
export interface StorageRpcMethods {
  /** Reads an object of a company. Throws when the bytes cannot be read. */
  readObject(input: ReadObjectInput): Promise<ReadObjectResult>;
}
