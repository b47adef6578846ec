import { accessDecisionBody } from "../../../schemas/hosting/access";
import { managementCommands } from "../../../schemas/management";
import { parse } from "../../kit/http/request/parse";
import { type FlagValues, withFlagErrors } from "../../kit/management/flags";
import type { ManagementCommand } from "../../kit/management/mount";
import { CommandRefusal } from "../../kit/management/stream";
import { decide } from "../access/access";
import type { HostingServices } from "../services";

const readDecision = ({ company_id, notes = "" }: FlagValues) =>
  withFlagErrors(() => parse(accessDecisionBody, { company_id, status: "approved", notes }));

/**
 * The command `approve_hosting_access`. The batch of the decision inserts its audit entry, and the event when the status
 * changes.
 */
export const accessCommands: ManagementCommand<HostingServices>[] = managementCommands.hosting
  .filter(({ name }) => name === "approve_hosting_access")
  .map((spec) => ({
    spec,
    check: (flags) => void readDecision(flags),
    run: async (services, flags, _stream, { kind, userId }) => {
      const { company_id: companyId, notes = "" } = readDecision(flags);
      if ((await services.identity.rpc.company({ company_id: companyId })) === null) {
        throw new CommandRefusal(`company ${companyId} does not exist`);
      }
      const access = await decide(services, { companyId, status: "approved", notes }, { kind, userId, email: null });
      return { summary: `company=${companyId} status=${access?.status ?? "none"}`, counts: {}, runId: null };
    },
  }));
