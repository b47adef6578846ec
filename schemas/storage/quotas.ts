import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { pageQuery, pageSchema } from "../page";

/** A limit in bytes: an integer >= 0. */
const bytes = () => z.int("invalid").min(0, "out_of_range");
const remaining = () => z.int().min(0).nullable();
const reserved = () => z.int().min(0).describe("Bytes reserved by unfinished uploads; they count towards the limit");

/** Company ids have at most 15 digits. */
const MAX_COMPANY = 999_999_999_999_999;

/** The parameters of the quota paths. */
export const companyParams = lazySchema(() => z.object({ company_id: z.int().min(1).max(MAX_COMPANY) }));
export const userParams = lazySchema(() => companyParams.unwrap().extend({ user_id: z.int().min(1) }));

/** Query of the lists. `limit` is the old name of `page_size`; its maximum is 200. */
export const quotaPageQuery = lazySchema(() =>
  pageQuery.unwrap().extend({ page_size: z.string().optional(), limit: z.string().optional() }),
);

/** Filters of `GET quota/companies` and `GET quota/company/{company_id}/users`. */
export const quotaFilter = lazySchema(() =>
  z.object({
    is_nearly_full: z
      .enum(["true"], "invalid")
      .optional()
      .describe("`true`: only quotas of which more than 90 % are used"),
  }),
);

/** Query of the two lists with filters. */
export const quotaListQuery = lazySchema(() => quotaPageQuery.unwrap().extend(quotaFilter.unwrap().shape));

/** Response of `GET quota`. */
export const memberQuotaSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      company: z.object({
        max_bytes: bytes().nullable(),
        used_bytes: z.int(),
        reserved_bytes: reserved(),
        remaining_bytes: remaining(),
      }),
      user: z.object({
        user_id: z.int(),
        max_bytes: bytes().nullable(),
        used_bytes: z.int(),
        reserved_bytes: reserved(),
        remaining_bytes: remaining(),
      }),
    })
    .meta({
      id: "OwnQuota",
      examples: [
        {
          company_id: 42,
          company: {
            max_bytes: 10_737_418_240,
            used_bytes: 1_048_576,
            reserved_bytes: 8_388_608,
            remaining_bytes: 10_727_981_056,
          },
          user: {
            user_id: 7,
            max_bytes: null,
            used_bytes: 1_048_576,
            reserved_bytes: 8_388_608,
            remaining_bytes: null,
          },
        },
      ],
    }),
);

/**
 * Body of `PUT quota/company/{company_id}`. A missing field keeps its value. Null removes the limit; in `max_bytes_per_user`, 0
 * and "" remove it too.
 */
export const companyQuotaBody = lazySchema(() =>
  z
    .object({
      max_bytes: bytes().nullable().optional(),
      max_bytes_per_user: z
        .union([bytes(), z.literal("", "invalid")], "invalid")
        .nullable()
        .optional(),
    })
    .meta({ id: "CompanyQuotaChange", examples: [{ max_bytes: 53_687_091_200, max_bytes_per_user: 1_073_741_824 }] }),
);

/**
 * Body of `PUT quota/company/{company_id}/user/{user_id}`. With null, the default of the company applies to the user. 0 means
 * no limit.
 */
export const userQuotaBody = lazySchema(() =>
  z.object({ max_bytes: bytes().nullable() }).meta({ id: "UserQuotaChange", examples: [{ max_bytes: 1_073_741_824 }] }),
);

const companyQuota = () =>
  z.object({
    company_id: z.int(),
    max_bytes: bytes().nullable(),
    used_bytes: z.int(),
    max_bytes_per_user: bytes().nullable(),
  });

const userQuota = () =>
  z.object({ company_id: z.int(), user_id: z.int(), max_bytes: bytes().nullable(), used_bytes: z.int() });

const companyExample = {
  company_id: 42,
  max_bytes: 53_687_091_200,
  used_bytes: 1_048_576_000,
  max_bytes_per_user: 1_073_741_824,
};
const userExample = { company_id: 42, user_id: 7, max_bytes: 1_073_741_824, used_bytes: 1_048_576 };

export const changedCompanyQuotaSchema = lazySchema(() =>
  companyQuota().meta({ id: "ChangedCompanyQuota", examples: [companyExample] }),
);
export const changedUserQuotaSchema = lazySchema(() =>
  userQuota().meta({ id: "ChangedUserQuota", examples: [userExample] }),
);

/** A company quota with reserved and remaining bytes. */
export const companyQuotaSchema = lazySchema(() =>
  companyQuota()
    .extend({ reserved_bytes: reserved(), remaining_bytes: remaining() })
    .meta({
      id: "CompanyQuota",
      examples: [{ ...companyExample, reserved_bytes: 0, remaining_bytes: 52_638_515_200 }],
    }),
);
export const userQuotaSchema = lazySchema(() =>
  userQuota()
    .extend({ reserved_bytes: reserved(), remaining_bytes: remaining() })
    .meta({ id: "UserQuota", examples: [{ ...userExample, reserved_bytes: 0, remaining_bytes: 1_072_693_248 }] }),
);

/** The lists of company and user quotas. */
export const companyQuotaListSchema = pageSchema(companyQuotaSchema, 50);
export const userQuotaListSchema = pageSchema(userQuotaSchema, 50);
