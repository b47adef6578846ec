import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import {
  changedCompanyQuotaSchema,
  changedUserQuotaSchema,
  companyParams,
  companyQuotaBody,
  companyQuotaListSchema,
  companyQuotaSchema,
  memberQuotaSchema,
  quotaFilter,
  quotaListQuery,
  userParams,
  userQuotaBody,
  userQuotaListSchema,
  userQuotaSchema,
} from "../../../schemas/storage/quotas";
import type { Result } from "../../kit/db/db";
import { bodyOf } from "../../kit/http/call";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { byNumber, type Page, presentPage, readPage, splitPage } from "../../kit/http/paging/page";
import { scanOfPage, splitScan } from "../../kit/http/paging/scan";
import { parse } from "../../kit/http/request/parse";
import { rowIdOf } from "../../kit/http/request/path-id";
import { findCompany } from "../companies/company";
import type { StorageService } from "../http";
import { Problem } from "../problem";
import { ensureCompanyRow, readQuota, removeUserQuota, setCompanyQuota, setUserQuota } from "./quota";
import {
  presentChangedCompany,
  presentChangedUser,
  presentCompany,
  presentMemberQuota,
  presentUser,
} from "./quota.present";
import {
  countCompanyQuotas,
  countFullCompanies,
  countUserQuotas,
  findQuota,
  listCompanyQuotas,
  listFullCompanies,
  listUserQuotas,
  scanFullUsers,
  type UserQuotaRow,
} from "./quota.store";

const tags = ["Quotas"];
const COMPANY_PATH = "/storage/v1/quota/company/{company_id}";
const USER_PATH = `${COMPANY_PATH}/user/{user_id}`;
const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));

type QuotaPage = Page<[number]>;

/** Returns the requested page of a list of quotas. `limit` is the former name of `page_size`. */
const readQuotaPage = (query: Record<string, string>): QuotaPage =>
  readPage(query, positionSchema, {
    ...(query.limit === undefined ? { ...byNumber, defaultLimit: 50 } : { isNumbered: true }),
  });

/**
 * Returns the parameters of the statement that selects a page. The statement selects one row more than the page, to know
 * whether another page follows.
 */
const pageParameters = ({ after, limit, offset }: QuotaPage) => ({ after: after?.[0] ?? 0, limit: limit + 1, offset });

/** Returns the page and filter of a list of quotas. */
function readQuotaList(query: Record<string, string>): { page: QuotaPage; isFiltered: boolean } {
  const { is_nearly_full } = parse(quotaFilter, query);
  return { page: readQuotaPage(query), isFiltered: is_nearly_full !== undefined };
}

type UserPageResults = {
  users: Result<UserQuotaRow> | null;
  counted: Result<{ count: number }> | null;
  full: Result<UserQuotaRow & { match_count: number | null; is_limit_reached: boolean | null }> | null;
};

/** Returns a page of users with its count: all users, or those whose limit is nearly reached. */
function toUserPage(page: QuotaPage, { users, counted, full }: UserPageResults) {
  const positionOf = ({ user_id }: UserQuotaRow) => [user_id];
  if (full !== null) return splitScan(full.rows, page, positionOf);
  return { ...splitPage(users?.rows ?? [], page.limit, positionOf), count: counted?.first?.count ?? 0 };
}

/** Mounts the quota routes of members, owners and staff. */
export function mountQuotas({ call }: StorageService): void {
  call(
    {
      method: "get",
      path: "/storage/v1/quota",
      tags,
      summary: "Get the quotas of the company and the caller",
      role: "member",
      responses: { 200: jsonResponse(memberQuotaSchema, "Both quotas; `max_bytes` is null for no limit") },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller }) => {
      const row = await readQuota(services, scope, caller);
      if (row === null) throw new Problem("not_found");
      return c.json(presentMemberQuota(row, caller.userId));
    },
  );
  call(
    {
      method: "get",
      path: "/storage/v1/quota/companies",
      tags,
      summary: "List the quotas of all companies",
      role: "staff",
      query: quotaListQuery,
      input: ({ query }) => readQuotaList(query),
      responses: { 200: jsonResponse(companyQuotaListSchema, "One page, by company") },
    },
    async ({ c, services: { platformDb }, input: { page, isFiltered } }) => {
      const [list, count] = isFiltered
        ? [listFullCompanies, countFullCompanies]
        : [listCompanyQuotas, countCompanyQuotas];
      const { quotas, counted } = await platformDb.batch({
        quotas: list(pageParameters(page)),
        counted: page.after === null ? count() : null,
      });
      const rows = splitPage(quotas.rows, page.limit, ({ company_id }) => [company_id]);
      return c.json(presentPage(page, { ...rows, count: counted?.first?.count ?? 0 }, presentCompany));
    },
  );
  mountCompanyQuota(call);
  mountUserQuota(call);
}

function mountCompanyQuota(call: StorageService["call"]): void {
  call(
    {
      method: "get",
      path: COMPANY_PATH,
      tags,
      summary: "Get the quota of a company",
      role: "quota",
      params: companyParams,
      reads: ({ companyId }) => ({ quota: findCompany({ companyId }) }),
      responses: { 200: jsonResponse(companyQuotaSchema, "The quota") },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, results }) =>
      c.json(presentCompany(await ensureCompanyRow(services, scope, caller, results.quota.first))),
  );
  call(
    {
      method: "put",
      path: COMPANY_PATH,
      tags,
      summary: "Change the quota of a company",
      description:
        "For staff and owners of the company. A cap below the current usage is accepted: objects stay, and nothing more can be stored.",
      role: "quota",
      params: companyParams,
      body: bodyOf(companyQuotaBody),
      responses: { 200: jsonResponse(changedCompanyQuotaSchema, "The quota") },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, body }) => {
      const perUserCap = body.max_bytes_per_user;
      const maxBytesPerUser = perUserCap === undefined ? undefined : perUserCap || null;
      const row = await setCompanyQuota(services, scope, caller, { maxBytes: body.max_bytes, maxBytesPerUser });
      if (row === null) throw new Problem("not_found");
      return c.json(presentChangedCompany(row));
    },
  );
  call(
    {
      method: "get",
      path: `${COMPANY_PATH}/users`,
      tags,
      summary: "List the quotas of the users of a company",
      role: "quota",
      params: companyParams,
      query: quotaListQuery,
      input: ({ query }) => readQuotaList(query),
      reads: ({ companyId, input: { page, isFiltered } }) => ({
        company: findCompany({ companyId }),
        users: isFiltered ? null : listUserQuotas({ companyId, ...pageParameters(page) }),
        counted: isFiltered || page.after !== null ? null : countUserQuotas({ companyId }),
        full: isFiltered ? scanFullUsers({ companyId, after: page.after?.[0] ?? 0, ...scanOfPage(page, true) }) : null,
      }),
      responses: {
        200: jsonResponse(userQuotaListSchema, "One page, by user: all users who store objects or have their own cap"),
      },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, results, input: { page } }) => {
      const { max_bytes_per_user } = await ensureCompanyRow(services, scope, caller, results.company.first);
      return c.json(presentPage(page, toUserPage(page, results), (row) => presentUser(row, max_bytes_per_user)));
    },
  );
}

function mountUserQuota(call: StorageService["call"]): void {
  const userIdOf = ({ params }: { params: Record<string, string> }): number => {
    const userId = rowIdOf(params.user_id);
    if (userId === null) throw new Problem("validation_failed", { field_errors: { user_id: ["invalid"] } });
    return userId;
  };
  call(
    {
      method: "get",
      path: USER_PATH,
      tags,
      summary: "Get the quota of a user",
      role: "quota",
      params: userParams,
      input: ({ params }) => userIdOf({ params }),
      reads: ({ companyId, input: userId }) => ({ quota: findQuota({ companyId, userId }) }),
      responses: {
        200: jsonResponse(
          userQuotaSchema,
          "The user's own cap, or null, with the remaining bytes of the effective cap",
        ),
      },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, results, input: user_id }) => {
      const quota = results.quota.first;
      const { company_id, max_bytes_per_user } = await ensureCompanyRow(services, scope, caller, quota);
      const user = {
        company_id,
        user_id,
        max_bytes: quota?.user_max_bytes ?? null,
        used_bytes: quota?.user_used_bytes ?? 0,
        reserved_bytes: quota?.user_reserved_bytes ?? 0,
      };
      return c.json(presentUser(user, max_bytes_per_user));
    },
  );
  call(
    {
      method: "put",
      path: USER_PATH,
      tags,
      summary: "Change the quota of a user",
      description: "0 means no limit for this user; null removes their own cap, so that the company's default applies.",
      role: "quota",
      params: userParams,
      input: ({ params }) => userIdOf({ params }),
      body: bodyOf(userQuotaBody),
      responses: { 200: jsonResponse(changedUserQuotaSchema, "The quota") },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, input: userId, body }) => {
      const row = await setUserQuota(services, scope, caller, { userId, maxBytes: body.max_bytes });
      if (row === null) throw new Problem("not_found");
      return c.json(presentChangedUser(row));
    },
  );
  call(
    {
      method: "delete",
      path: USER_PATH,
      tags,
      summary: "Remove a user's own cap",
      role: "quota",
      params: userParams,
      input: ({ params }) => userIdOf({ params }),
      responses: { 204: { description: "The company's default applies" } },
      errorCodes: ["not_found"],
    },
    async ({ c, services, scope, caller, input: userId }) => {
      await removeUserQuota(services, scope, caller, userId);
      return c.body(null, 204);
    },
  );
}
