import { managementCommands } from "../../../schemas/management";
import type { FlagValues } from "../../kit/management/flags";
import type { ManagementCommand } from "../../kit/management/mount";
import type { CommandResult } from "../../kit/management/stream";
import type { IdentityServices } from "../services";
import { createSignInLink, createStaff, type OperatorResult, removeStaff, requireAddress } from "./staff";

type Run = ManagementCommand<IdentityServices>["run"];
type RemoteCommand = Exclude<(typeof managementCommands.identity)[number]["name"], "generate_jwt_keys">;

const text = (flags: FlagValues, name: string) => String(flags[name] ?? "");
const emailOf = (flags: FlagValues) => requireAddress(text(flags, "email"));

const runs: Record<RemoteCommand, Run> = {
  create_staff: async (services, flags) => toResult(await createStaff(services, emailOf(flags), Number(flags.company))),
  create_sign_in_link: async (services, flags) =>
    toResult(await createSignInLink(services, emailOf(flags), Number(flags.company))),
  set_staff: async (services, flags) => {
    const userId = await removeStaff(services, emailOf(flags));
    return { summary: `user_id=${userId} staff=false`, counts: {}, runId: null };
  },
};

/** What `POST /api/v1/management/{command}` runs here (details 13). */
export const commands: ManagementCommand<IdentityServices>[] = managementCommands.identity.flatMap((spec) =>
  spec.name === "generate_jwt_keys" ? [] : [{ spec, run: runs[spec.name] }],
);

function toResult({ companyId, userId, link }: OperatorResult): CommandResult {
  return { summary: `company_id=${companyId} user_id=${userId ?? "-"} link=${link}`, counts: {}, runId: null };
}
