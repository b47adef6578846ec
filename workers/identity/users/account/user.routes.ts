import { userDataBody, userDeletionBody, userNameBody, userSchema } from "../../../../schemas/identity/people/user";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { tokenInvalid } from "../../caller/credentials/credential";
import { selectCompany } from "../../company/company/company";
import type { IdentityService } from "../../http";
import { attemptMail } from "../../mail/outbox/mail";
import { readMetadata, refuseAdminFields } from "../profiles/profile";
import { deleteAccount, requireRecentSignIn } from "./account-deletion";
import { changeAccount, splitName } from "./user";
import { presentUser } from "./user.present";

const common = { path: "/api/v1/user", tags: ["Account"], role: "self" } as const;

/** Mounts the endpoints of the caller's own account. Names and metadata are those that the token's company sees. */
export function mountUser({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      summary: "Get the signed-in user",
      responses: { 200: jsonResponse(userSchema, "The user as the token's company sees them") },
    },
    ({ c, caller }) => c.json(presentUser(caller)),
  );
  const changed = { 200: jsonResponse(userSchema, "The user after the change") };
  call(
    {
      ...common,
      method: "patch",
      summary: "Change the caller's name",
      body: {
        ...bodyOf(userNameBody),
        read: (raw) => {
          refuseAdminFields(raw);
          return splitName(parse(userNameBody, raw).name);
        },
      },
      responses: changed,
      errorCodes: ["admin_only_field"],
    },
    async ({ c, services, caller, body }) => {
      const user = await changeAccount(services, caller, body);
      return c.json(presentUser({ ...caller, user }));
    },
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Merge keys into the caller's metadata",
      description:
        "Keys of `data` replace those of the same name, and null removes a key. Both `data` and the merged metadata can have at most 8 KiB. Names, privileges " +
        "and groups are ignored. `platformPreferences` changes the preferences.",
      body: {
        ...bodyOf(userDataBody),
        read: (raw) => {
          refuseAdminFields(raw);
          const { data } = parse(userDataBody, raw);
          const { platformPreferences: preferences } = data;
          return { data: readMetadata(data), ...(preferences ? { preferences } : {}) };
        },
      },
      responses: changed,
      errorCodes: ["admin_only_field"],
    },
    async ({ c, services, caller, body }) => {
      const user = await changeAccount(services, caller, body);
      return c.json(presentUser({ ...caller, user }));
    },
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Leave this company, and delete the account if this is its last company",
      description:
        "Requires a session with a recent sign-in; a personal access token is rejected. Deletes the caller's membership in " +
        "the token's company with its sessions and tokens, and erases the company's mails to the caller. The sole owner of a company cannot leave; the error lists `companies`.",
      reads: ({ companyId }) => ({ company: selectCompany(companyId) }),
      permit: ({ services, caller }) => requireRecentSignIn(services, caller),
      body: bodyOf(userDeletionBody, { optional: true }),
      responses: { 204: { description: "The membership was deleted" } },
      errorCodes: ["recent_login_required", "last_company_owner"],
    },
    async ({ c, services, caller, results, body }) => {
      const company = results.company.first;
      if (!company) throw tokenInvalid();
      const erasureId = await deleteAccount(services, caller, company, body.refresh_token ?? null);
      services.afterResponse(() => attemptMail(services, erasureId));
      return c.body(null, 204);
    },
  );
}
