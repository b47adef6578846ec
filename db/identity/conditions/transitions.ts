// The transitions of a membership as data. The statements of workers/identity/company/memberships are built from them,
// and docs/specification/members.md#states documents them. A new way to join or leave a company needs only a new entry
// here.

type State = "allowed" | "pending" | "denied";
type Reason = "join_rule" | "admin" | "scim";

/** A state from which a transition may start. Without `reasons`, the state may have any reason. */
type Start = { state: State; reasons?: readonly Reason[] };

export type Transition = {
  by: "sign_in" | "administrator" | "administrator_or_person" | "new_company" | "command" | "directory";
  /** whether the transition creates a membership if there is none */
  fromNone: boolean;
  from: readonly Start[];
  /** null when the membership is deleted */
  to: { state: State; reason: Reason } | null;
  /** whether the user may be staff; the statement checks `never` and `only`, and with `any` the caller decides */
  staff: "any" | "never" | "only";
  /** what the member loses in the company; `ownership` includes the check that a company keeps its last owner */
  ends: readonly ("ownership" | "sessions" | "tokens")[];
  /** the event that reports the transition */
  event: string;
};

const ALL_ACCESS = ["ownership", "sessions", "tokens"] as const;
const ANY: readonly Start[] = [{ state: "allowed" }, { state: "pending" }, { state: "denied" }];
const NOT_ALLOWED: readonly Start[] = [{ state: "pending" }, { state: "denied" }];

export const transitions = {
  /** the join rules allow a user */
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
  /** the join rules require the approval of an administrator */
  await: {
    by: "sign_in",
    fromNone: true,
    from: [{ state: "denied", reasons: ["join_rule"] }],
    to: { state: "pending", reason: "join_rule" },
    staff: "any",
    ends: [],
    event: "identity.membership.requested",
  },
  /** the join rules deny a user */
  refuse: {
    by: "sign_in",
    fromNone: true,
    from: [{ state: "pending", reasons: ["join_rule"] }],
    to: { state: "denied", reason: "join_rule" },
    staff: "any",
    ends: [],
    event: "identity.membership.requested",
  },
  /** a sign-in proves the address of an open invitation that is newer than the state */
  acceptInvitation: {
    by: "sign_in",
    fromNone: true,
    from: [
      { state: "pending", reasons: ["join_rule", "admin"] },
      { state: "denied", reasons: ["join_rule", "admin"] },
    ],
    to: { state: "allowed", reason: "admin" },
    staff: "never",
    ends: [],
    event: "identity.user.created",
  },
  /** `is_active: true`; a staff account can be allowed only by a command */
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
  /** an administrator removes the member, or users delete their own account */
  remove: {
    by: "administrator_or_person",
    fromNone: false,
    from: ANY,
    to: null,
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.user.deleted",
  },
  /** SCIM `active: true`, and a new user of the directory */
  provision: {
    by: "directory",
    fromNone: true,
    from: NOT_ALLOWED,
    to: { state: "allowed", reason: "scim" },
    staff: "never",
    ends: [],
    event: "identity.scim.user.provisioned",
  },
  /** SCIM `active: false` and the deletion of a user by the directory */
  deprovision: {
    by: "directory",
    fromNone: true,
    from: [{ state: "allowed" }, { state: "pending" }, { state: "denied", reasons: ["join_rule", "admin"] }],
    to: { state: "denied", reason: "scim" },
    staff: "any",
    ends: ALL_ACCESS,
    event: "identity.scim.user.deprovisioned",
  },
  /** a new company gets its owners */
  createCompany: {
    by: "new_company",
    fromNone: true,
    from: [],
    to: { state: "allowed", reason: "admin" },
    staff: "any",
    ends: [],
    event: "identity.user.created",
  },
  /** an import adds a person; the next sign-in applies the join rules */
  importPerson: {
    by: "command",
    fromNone: true,
    from: [],
    to: { state: "pending", reason: "join_rule" },
    staff: "never",
    ends: [],
    event: "identity.user.created",
  },
  /** an import allows a person whom no administrator and no directory has denied access */
  importAllowed: {
    by: "command",
    fromNone: true,
    from: [
      { state: "pending", reasons: ["join_rule"] },
      { state: "denied", reasons: ["join_rule"] },
    ],
    to: { state: "allowed", reason: "admin" },
    staff: "never",
    ends: [],
    event: "identity.membership.enabled",
  },
  /** a command allows a staff account */
  admitStaff: {
    by: "command",
    fromNone: true,
    from: NOT_ALLOWED,
    to: { state: "allowed", reason: "admin" },
    staff: "only",
    ends: [],
    event: "identity.user.updated",
  },
  /** an account that becomes staff is removed from its other companies */
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
