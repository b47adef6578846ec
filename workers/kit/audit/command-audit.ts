import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import type { ManagementCommand } from "../management/mount";
import { actEntry } from "./audit";

/** The commands, each of which writes its audit entry before its work begins; a dry run changes nothing and writes none. */
export function auditCommands<S extends Databases & { clock: Clock }>(
  commands: readonly ManagementCommand<S>[],
): ManagementCommand<S>[] {
  return commands.map((command) => ({
    ...command,
    run: async (services, flags, stream, actor) => {
      if (flags.dry_run !== true) {
        const entry = { action: "command.run", target: `command:${command.spec.name}`, changes: { flags } };
        await services.platformDb.run(actEntry({ ...entry, actor, companyId: null, now: services.clock.now() }));
      }
      return command.run(services, flags, stream, actor);
    },
  }));
}
