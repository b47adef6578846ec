import type { BroadcastRow } from "../../../../db/email/rows";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import type { BatchResults } from "../../../kit/db/db";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { inScope } from "../../../kit/http/resource";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";
import { selectBroadcast } from "./broadcast";

type Services = Pick<EmailServices, "settings" | "keys">;

/** Returns the fingerprint of the platform credentials, which decides whether pauses are in force. */
export const platformOf = async ({ services }: { services: Services }): Promise<string> =>
  fingerprintPlatform(services.settings, await services.keys());

/** The parts of a call about one broadcast, whose owners and staff may read and change it. */
export const broadcastRoute = {
  tags: ["Broadcasts"],
  role: "row",
  query: companyQuery,
  params: rowIdPath,
  missingCode: "broadcast_not_found",
  input: async ({ params, services }: { params: Record<string, string>; services: Services }) => ({
    id: rowIdOf(params.id),
    platform: await platformOf({ services }),
  }),
  // A malformed id matches no row.
  reads: ({ input: { id, platform } }: { input: { id: number | null; platform: string } }) =>
    selectBroadcast(id ?? 0, platform),
  row: ({
    scope,
    results,
  }: {
    scope: number | null;
    results: BatchResults<ReturnType<typeof selectBroadcast>>;
  }): BroadcastRow | null | undefined => inScope(results.row.first, scope),
} as const;
