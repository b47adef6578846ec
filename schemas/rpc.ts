// RPC between Workers over service bindings: types and bounds, since no service imports another.

/**
 * Query of another service about a bearer; `method` is the HTTP method of the call it serves, `network` the client's (IPv4 /24,
 * IPv6 /48), which a personal access token remembers.
 */
export type IntrospectInput = { token: string; method: string; company_id?: number; network?: string };

/** Live facts about an accepted bearer. `exp` and `auth_time` are unix seconds. */
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

/** The notification to owners of a webhook subscription that has begun to fail; `told_at` (unix ms) identifies the notification. */
export type RuleNotice = {
  service: string;
  rule_id: number;
  company_id: number;
  rule_name: string;
  rule_event_type: string;
  host: string;
  told_at: number;
};

/** Maximum users of one `memberships` call. */
export const MAX_MEMBERSHIPS = 100;

/** Users whose access to a company another service checks; `user_ids` holds at most MAX_MEMBERSHIPS. */
export type MembershipsInput = { company_id: number; user_ids: readonly number[] };

/** The users who are allowed to act in the company now, in no order. */
export type MembershipsResult = { active_user_ids: number[] };

/** The methods of identity's entrypoint `IdentityRpc`, reachable by bindings only. */
export interface IdentityRpcMethods {
  introspect(input: IntrospectInput): Promise<IntrospectResult>;
  company(input: { company_id: number }): Promise<{ id: number; slug: string; name: string } | null>;
  /**
   * Returns which users are active members of an active company; live staff count everywhere. Rejects malformed input: a
   * caller without an answer must refuse.
   */
  memberships(input: MembershipsInput): Promise<MembershipsResult>;
  /** Mails the owners of failing webhook subscriptions; a repeated notification is accepted without a second mail. */
  tellOwners(input: { notices: readonly RuleNotice[] }): Promise<void>;
}
