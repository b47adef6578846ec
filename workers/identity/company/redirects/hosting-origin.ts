import * as z from "zod";
import { hostingRedirectBody } from "../../../../schemas/identity/company/oauth-redirect";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { HostingRedirectInput, HostingRedirectResult, RedirectOriginsResult } from "../../../../schemas/rpc";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { findCompanyName } from "../company/company";
import { listOrigins, putHostingRedirect, removeHostingRedirect } from "./oauth-redirect";

const company_id = () => z.int().min(1);
const redirectInput = lazySchema(() =>
  z.object({ company_id: company_id(), base_url: z.string(), label: z.string(), is_wanted: z.boolean() }),
);
const originsInput = lazySchema(() => z.object({ company_id: company_id() }));

/**
 * Adds or activates the origin of an app on the allowlist of its company, or removes it if hosting added it. A repeated call
 * changes nothing. Returns the reason when the company does not exist, or the allowlist is full or the origin not allowed on it. Throws
 * for malformed input.
 */
export async function setHostingRedirect(
  services: IdentityServices,
  input: HostingRedirectInput,
): Promise<HostingRedirectResult> {
  const parsed = redirectInput.safeParse(input);
  if (!parsed.success) throw new Error("setHostingRedirect: malformed input");
  const { company_id: companyId, is_wanted: isWanted, ...fields } = parsed.data;
  const body = hostingRedirectBody.safeParse(fields);
  if (!body.success) return { ok: false, reason: "invalid" };
  const change = { services, companyId };
  try {
    if (!isWanted) await removeHostingRedirect(change, body.data.base_url);
    else if ((await findCompanyName(services, companyId)) === null) return { ok: false, reason: "company_not_found" };
    else await putHostingRedirect(change, body.data);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, reason: error.code === "limit_reached" ? "limit_reached" : "invalid" };
  }
  return { ok: true };
}

/** Returns the active origins of a company's allowlist, the oldest first, at most 200. Throws for malformed input. */
export async function readRedirectOrigins(
  services: IdentityServices,
  input: { company_id: number },
): Promise<RedirectOriginsResult> {
  const parsed = originsInput.safeParse(input);
  if (!parsed.success) throw new Error("redirectOrigins: malformed input");
  return { origins: await listOrigins(services, parsed.data.company_id) };
}
