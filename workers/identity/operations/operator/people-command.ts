import { managementCommands } from "../../../../schemas/management";
import type { FlagValues } from "../../../kit/management/flags";
import type { CommandCaller, ManagementCommand } from "../../../kit/management/mount";
import { invalid } from "../../../kit/problem";
import { SYSTEM_ACTOR } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { exportPeople } from "../../users/imports/export";
import { importPeople, type TransferCaller } from "../../users/imports/import";

type Run = ManagementCommand<IdentityServices>["run"];
type PeopleCommand = "import_people" | "export_people";

/** Returns the caller as events name it. Mails of the operator and of staff do not name an inviting person. */
const callerOf = ({ kind, userId }: CommandCaller): TransferCaller => ({
  userId,
  name: "",
  actor: kind === "operator" ? SYSTEM_ACTOR : JSON.stringify({ kind, user_id: userId }),
});

const runs: Record<PeopleCommand, Run> = {
  import_people: async (services, flags, stream, caller, rows) => {
    const dryRun = flags.dry_run === true;
    const options = { dryRun, allow: flags.allow === true, invite: flags.invite === true };
    const chunk = { services, companyId: Number(flags.company), caller: callerOf(caller), options };
    const results = await importPeople(chunk, rows);
    await stream.writeRows(results);
    const count = (status: string) => results.filter((result) => result.status === status).length;
    const [created, updated, unchanged] = [count("created"), count("updated"), count("unchanged")];
    const counts = { created, updated, unchanged, rejected: count("rejected") };
    const text = Object.entries(counts).map(([name, value]) => `${name}=${value}`);
    return { summary: `${dryRun ? "would import " : ""}${text.join(" ")}`, counts, runId: null };
  },
  export_people: async (services, flags, stream, caller) => {
    const request = { companyId: Number(flags.company), caller: callerOf(caller), after: Number(flags.after) };
    const { people, next } = await exportPeople(services, request, stream.writeRows);
    return {
      summary: `people=${people}`,
      counts: { people, complete: next === null },
      runId: null,
      ...(next === null ? {} : { next: String(next) }),
    };
  },
};

function checkImport({ allow, invite }: FlagValues): void {
  if (allow === true && invite === true) throw invalid({ "flags.invite": ["not_allowed"] });
}

/** The commands that move people into and out of a company. */
export const peopleCommands = managementCommands.identity.flatMap((spec): ManagementCommand<IdentityServices>[] => {
  if (spec.name === "import_people") return [{ spec, check: checkImport, run: runs.import_people }];
  return spec.name === "export_people" ? [{ spec, run: runs.export_people }] : [];
});
