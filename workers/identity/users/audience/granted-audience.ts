import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { type AudienceInput, type AudienceResult, MAX_AUDIENCE_PAGE } from "../../../../schemas/rpc";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { type AudienceRequest, presentAudience, readAudience, selectAudience } from "./audience";
import { findSender } from "./audience.store";

const grantedInput = lazySchema(() =>
  z.object({
    company_id: z.int().min(1),
    granted_by: z.int().min(1),
    filter: z.record(z.string(), z.string()),
    cursor: z.string(),
    page_size: z.int().min(1).max(MAX_AUDIENCE_PAGE),
  }),
);

/**
 * Returns a page by cursor of the audience, in one round trip, while the user `granted_by` is an active owner of the active
 * company, or active staff. The user is checked before the filters are. Throws for malformed input other than filters.
 */
export async function readGrantedAudience(
  { db }: Pick<IdentityServices, "db">,
  input: AudienceInput,
): Promise<AudienceResult> {
  const parsed = grantedInput.safeParse(input);
  if (!parsed.success) throw new Error("audience: malformed input");
  const { company_id: companyId, granted_by: userId, filter, cursor, page_size } = parsed.data;
  const request = catchInvalid(() =>
    readAudience({ ...filter, count_only: "false", cursor, page_size: String(page_size) }),
  );
  const selected = "ok" in request ? null : selectAudience(companyId, request);
  const { sender, ...results } = await db.batch({
    sender: findSender({ companyId, userId }),
    groupCount: selected?.groupCount ?? null,
    rows: selected?.rows ?? null,
    scanEnd: selected?.scanEnd ?? null,
  });
  if (sender.first === null) return { ok: false, reason: "not_permitted" };
  if ("ok" in request) return request;
  const page = catchInvalid(() => presentAudience(request, { ...results, count: null }));
  if ("ok" in page) return page;
  if (!("results" in page)) throw new Error("audience: a page was requested, and a count was read");
  return { ok: true, results: page.results, next_cursor: page.next_cursor };
}

type InvalidFilter = Extract<AudienceResult, { reason: "invalid" }>;

/** Returns the result of `read`, or the first invalid parameter when it throws 400 `validation_failed`. */
function catchInvalid<T extends AudienceRequest | ReturnType<typeof presentAudience>>(
  read: () => T,
): T | InvalidFilter {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
    return { ok: false, reason: "invalid", field: String(error.options.extra?.field ?? "") };
  }
}
