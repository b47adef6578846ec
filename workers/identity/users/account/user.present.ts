import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import { iso } from "../../../kit/time";
import { preferencesOf, profileOf } from "../profiles/company-user";

/** Returns the response of `GET /api/v1/user`: the user as the token's company sees them. */
export function presentUser({
  user,
  provider,
  companyId,
}: {
  user: CompanyUserRow;
  provider: string;
  companyId: number;
}) {
  const profile = profileOf(user);
  return {
    id: String(user.id),
    email: user.email,
    app_metadata: { provider, company_id: companyId },
    user_metadata: {
      ...profile.metadata,
      name: profile.name,
      full_name: profile.name,
      avatar_url: user.avatar_url ?? "",
      is_staff: user.is_staff,
      is_company_owner: user.state === "allowed" && user.is_owner === true,
      platformPreferences: preferencesOf(user),
      groups: user.group_names ?? [],
      ...(user.groups_truncated ? { groups_truncated: true } : {}),
      last_seen_at: iso(user.last_seen_at),
    },
  };
}
