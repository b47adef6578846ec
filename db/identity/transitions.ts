// The transitions of a membership as data: the statements of workers/identity/company/memberships are built from it, and
// docs/specification/members.md#states documents it. A new way into or out of a company is one entry here.

type State = "allowed" | "pending" | "denied";
type Reason = "join_rule" | "admin" | "scim";

/** A state that a transition starts from; without `reasons`, with any reason. */
type Start = { state: State; reasons?: readonly Reason[] };

export type Transition = {
  by: "sign_in" | "administrator" | "administrator_or_person" | "new_company" | "command";
  /** whether it creates a membership where there is none */
  fromNone: boolean;
  from: readonly Start[];
  /** null: the membership is deleted */
  to: { state: State; reason: Reason } | null;
  /** `never` and `only` are conditions of the statement; with `any` the caller decides */
  staff: "any" | "never" | "only";
  /** what ends in that company; `ownership` includes the check that a company keeps its last owner */
  ends: readonly ("ownership" | "sessions" | "tokens")[];
  /** the event that reports it */
  event: string;
};

const ALL_ACCESS = ["ownership", "sessions", "tokens"] as const;
const ANY: readonly Start[] = [{ state: "allowed" }, { state: "pending" }, { state: "denied" }];
const NOT_ALLOWED: readonly Start[] = [{ state: "pending" }, { state: "denied" }];

export const transitions = {
  /** the join rules let a user in */
  join: {
    by: "sign_in",
    fromNone: true,
    from: [
      { state: "pending", reasons: ["join_rule"] },
      { state: "denied", reasons: ["join_rule"] },
    ],
    to: { state: "allowed", reason: "join_rule" },
    staff: "any",
    ends: [],
    event: "identity.user.created",
  },
  /** the join rules leave the decision to an administrator */
  await: {
    by: "sign_in",
    fromNone: true,
    from: [{ state: "denied", reasons: ["join_rule"] }],
    to: { state: "pending", reason: "join_rule" },
    staff: "any",
    ends: [],
    event: "identity.membership.requested",
  },
  /** the join rules keep a user out */
  refuse: {
    by: "sign_in",
    fromNone: true,
    from: [{ state: "pending", reasons: ["join_rule"] }],
    to: { state: "denied", reason: "join_rule" },
    staff: "any",
    ends: [],
    event: "identity.membership.requested",
  },
  /** `is_active: true`; only a command lets a staff account in */
  enable: {
    by: "administrator",
    fromNone: false,
    from: NOT_ALLOWED,
    to: { state: "allowed", reason: "admin" },
    staff: "never",
    ends: [],
    event: "identity.membership.enabled",
  },
  /** `is_active: false` */
  suspend: {
    by: "administrator",
    fromNone: false,
    from: [{ state: "allowed" }],
    to: { state: "pending", reason: "admin" },
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.user.updated",
  },
  /** `access: "denied"` */
  deny: {
    by: "administrator",
    fromNone: false,
    from: [{ state: "allowed" }, { state: "pending" }, { state: "denied", reasons: ["join_rule", "scim"] }],
    to: { state: "denied", reason: "admin" },
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.user.updated",
  },
  /** a removal, or the deletion of one's own account */
  remove: {
    by: "administrator_or_person",
    fromNone: false,
    from: ANY,
    to: null,
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.user.deleted",
  },
  /** the owners of a new company */
  createCompany: {
    by: "new_company",
    fromNone: true,
    from: [],
    to: { state: "allowed", reason: "admin" },
    staff: "any",
    ends: [],
    event: "identity.user.created",
  },
  /** a command lets a staff account in */
  admitStaff: {
    by: "command",
    fromNone: true,
    from: NOT_ALLOWED,
    to: { state: "allowed", reason: "admin" },
    staff: "only",
    ends: [],
    event: "identity.user.updated",
  },
  /** an account that becomes staff leaves its other companies */
  leaveForStaff: {
    by: "command",
    fromNone: false,
    from: ANY,
    to: null,
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.user.deleted",
  },
} as const satisfies Record<string, Transition>;
