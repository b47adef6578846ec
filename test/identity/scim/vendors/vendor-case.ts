import { patchOf } from "../../../support/identity/scim";

/**
 * A request of a directory and its response. In `path`, `body` and `response`, `{mina}` is the id of the user mina, `{editors}` that
 * of the group Editors, and `{domain}` a domain of this run.
 */
type Step = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: object;
  status: number;
  /** members that the response must have, with these values */
  response?: object;
  /** attributes that the response must not have */
  without?: string[];
  /** name for the id in the response, which later steps use as `{name}` */
  as?: string;
};

/** What the database must have about a user after the steps. A field that is left out is not compared. */
type ExpectedUser = {
  membership: `${"allowed" | "denied"} ${"scim" | "join_rule" | "admin"}` | null;
  name?: string;
  email?: string;
  userName?: string | null;
  externalId?: string | null;
};

/** The requests of one task of a directory, such as a push of a group. */
export type VendorCase = {
  name: string;
  /** users who exist before the steps, with the user name `<name>@{domain}` and the name `Mina Laurent` */
  users?: string[];
  /** groups that exist before the steps, with their users */
  groups?: Record<string, string[]>;
  /** users who are the owners of the company and whom the directory manages */
  owners?: string[];
  steps: Step[];
  /** the users after the steps */
  expected?: Record<string, ExpectedUser>;
  /** all groups of the directory after the steps, with their users; not compared if left out */
  expectedGroups?: Record<string, string[]>;
};

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** Returns the path of a list with this filter. */
export const filtered = (path: string, filter: string) =>
  `${path}${path.includes("?") ? "&" : "?"}filter=${encodeURIComponent(filter).replaceAll("%7B", "{").replaceAll("%7D", "}")}`;

/** Returns the step that changes the user mina with these operations. */
export const changeUser = (...operations: object[]) =>
  ({ method: "PATCH", path: "/Users/{mina}", body: patchOf(...operations), status: 200 }) as const;

/** Returns the step that changes the group Editors with these operations. */
export const changeGroup = (...operations: object[]) =>
  ({ method: "PATCH", path: "/Groups/{editors}", body: patchOf(...operations), status: 204 }) as const;
