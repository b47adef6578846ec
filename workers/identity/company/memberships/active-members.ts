import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { MAX_MEMBERSHIPS, type MembershipsInput, type MembershipsResult } from "../../../../schemas/rpc";
import type { IdentityServices } from "../../services";
import { findActiveMembers, findMembers } from "./membership.store";

const membershipsInput = lazySchema(() =>
  z.object({
    company_id: z.int().min(1),
    user_ids: z.array(z.int().min(1)).max(MAX_MEMBERSHIPS),
    include_inactive: z.boolean().default(false),
  }),
);

/**
 * Returns the ids of the users who may act in the company now: active accounts that are `allowed` members of it, or staff. No
 * user may act in an inactive or unknown company. With `include_inactive`, also returns the other members. Throws for malformed input, so that the calling service gets no result to
 * act on.
 */
export async function listActiveMembers(
  { db }: Pick<IdentityServices, "db">,
  input: MembershipsInput,
): Promise<MembershipsResult> {
  const parsed = membershipsInput.safeParse(input);
  if (!parsed.success) throw new Error("memberships: malformed input");
  const { company_id: companyId, user_ids: userIds, include_inactive: includesInactive } = parsed.data;
  if (userIds.length === 0) return { active_user_ids: [] };
  const find = includesInactive ? findMembers : findActiveMembers;
  const members = await db.all(find({ companyId, userIds: [...new Set(userIds)] }));
  return { active_user_ids: members.map(({ id }) => id) };
}
