import { identityErrors } from "../../../schemas/identity/errors";
import { userDataBody, userDeletionBody, userNameBody, userSchema } from "../../../schemas/identity/user";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readJson } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { requireCaller, requireCallerWith } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { attemptMail } from "../mail/mail";
import { tokenInvalid } from "../sessions/session";
import { deleteOwnAccount, requireRecentSignIn } from "./account-deletion";
import { type CompanyRow, findCompany } from "./person.store";
import { readMetadata, refuseAdminFields } from "./profile";
import { changeOwnAccount, splitName } from "./user";
import { presentUser } from "./user.present";

const path = "/api/v1/user";
const tags = ["Account"];
const security = [{ bearerAuth: [] }];
const readErrors = ["unauthorized", "token_invalid", "access_pending", "access_denied", "service_unavailable"];
const bodyErrors = ["pat_read_only", "validation_failed", "payload_too_large", "unsupported_media_type"];
const changeErrors = [...readErrors, ...bodyErrors, "admin_only_field"];

/** Mounts the caller's own account (identity details 8); names and metadata as the token's company sees them (1.2). */
export function mountUser(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path,
      summary: "The signed-in user",
      tags,
      security,
      responses: {
        200: jsonResponse(userSchema, "The user as the token's company sees them"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    show,
  );
  service.route(
    {
      method: "patch",
      path,
      summary: "Change the own name",
      tags,
      security,
      request: { body: jsonBody(userNameBody) },
      responses: {
        200: jsonResponse(userSchema, "The user after the change"),
        ...problemResponses(identityErrors, changeErrors),
      },
    },
    rename,
  );
  service.route(
    {
      method: "put",
      path,
      summary: "Merge keys into the own metadata",
      description:
        "Keys of `data` replace those of the same name, null takes a key out; at most 8 KiB in all. Names, privileges " +
        "and groups are left out. `platformPreferences` changes the preferences.",
      tags,
      security,
      request: { body: jsonBody(userDataBody) },
      responses: {
        200: jsonResponse(userSchema, "The user after the change"),
        ...problemResponses(identityErrors, changeErrors),
      },
    },
    merge,
  );
  service.route(
    {
      method: "delete",
      path,
      summary: "Leave this company, and delete the account when it is the last one",
      description:
        "Needs a session of a recent sign-in, never a token. Ends the membership of the token's company with its sessions " +
        "and tokens, and erases its mails to the address. The sole owner of a company stays: the answer names it in `companies`.",
      tags,
      security,
      request: { body: jsonBody(userDeletionBody) },
      responses: {
        204: { description: "The membership has ended" },
        ...problemResponses(identityErrors, [
          ...readErrors,
          ...bodyErrors,
          "recent_login_required",
          "last_company_owner",
        ]),
      },
    },
    remove,
  );
}

async function show(c: IdentityContext): Promise<Response> {
  return c.json(presentUser(await requireCaller(c.get("services"), c.req.raw)));
}

async function rename(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireCaller(services, c.req.raw);
  const body = await readJson(c.req.raw);
  refuseAdminFields(body);
  const person = await changeOwnAccount(services, caller, splitName(parse(userNameBody, body).name));
  return c.json(presentUser({ ...caller, person }));
}

async function merge(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireCaller(services, c.req.raw);
  const body = await readJson(c.req.raw);
  refuseAdminFields(body);
  const { data } = parse(userDataBody, body);
  const { platformPreferences: preferences } = data;
  const change = { data: readMetadata(data), ...(preferences ? { preferences } : {}) };
  return c.json(presentUser({ ...caller, person: await changeOwnAccount(services, caller, change) }));
}

async function remove(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const { caller, results } = await requireCallerWith<[CompanyRow]>(services, c.req.raw, (companyId) => [
    findCompany.bind(db, companyId),
  ]);
  requireRecentSignIn(services, caller);
  const { refresh_token } = parse(userDeletionBody, await readJson(c.req.raw, { optional: true }));
  const [company] = results[0].results;
  if (!company) throw tokenInvalid();
  const erasureId = await deleteOwnAccount(services, caller, company, refresh_token ?? null);
  services.afterAnswer(() => attemptMail(services, erasureId));
  return c.body(null, 204);
}
