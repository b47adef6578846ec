import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import { errorName } from "../../../kit/log";
import { auditData, type ClientContext } from "../../caller/client/client-context";
import type { IdentityServices } from "../../services";
import { eventEntry } from "./event-log";

/** The known facts about a sign-in that is rejected. */
type SignInFacts = { email?: string; client_timezone?: string; device_hash?: string | null };

/** Reads the SignInFacts from stored audit data, such as the data of an auth code. */
export function readSignInFacts(auditedData: Record<string, unknown>): SignInFacts {
  const { client_timezone: zone, client_device_id_hash: device } = auditedData;
  return {
    ...(typeof zone === "string" ? { client_timezone: zone } : {}),
    ...(typeof device === "string" ? { device_hash: device } : {}),
  };
}

/**
 * Inserts the log-only entry of a rejected sign-in in the background. `reason` is the error code. Inserts nothing for an
 * unknown company, because only staff see entries without a company.
 */
export function recordFailure(
  services: IdentityServices,
  client: ClientContext,
  failure: {
    company: { id: number } | null;
    user: Pick<CompanyUserRow, "id" | "email" | "is_staff"> | null;
    request?: SignInFacts | null;
    reason: string;
    provider: string;
  },
): void {
  const { company, user, request: attempt, reason, provider } = failure;
  if (!company) return;
  const timezone = attempt?.client_timezone ?? null;
  const isStaff = user?.is_staff ?? null;
  const write = async () => {
    const data = await auditData(services, client, {
      provider,
      failure_reason: reason,
      is_staff_at_event: isStaff,
      client_timezone: timezone,
      client_device_id_hash: attempt?.device_hash ?? null,
    });
    await services.db.run(
      eventEntry({
        eventId: services.newEventId(),
        companyId: company.id,
        type: "identity.auth.login.failed",
        userId: user?.id ?? null,
        email: user?.email ?? attempt?.email ?? null,
        data,
        outcome: "failure",
        provider,
        isStaff,
        country: client.country,
        city: client.city,
        timezone,
        now: services.clock.now(),
      }),
    );
  };
  services.waitUntil(
    write().catch((error: unknown) =>
      services.log.error("rejected sign-in not recorded", { reason, cause: errorName(error) }),
    ),
  );
}
