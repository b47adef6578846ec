import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import type { ManagementCommand } from "../management/mount";
import { actionEntry } from "./audit";

/** Wraps management commands so that each writes its audit entry before it starts. A dry run writes no entry. */
export function auditCommands<S extends Databases & { clock: Clock }>(
  commands: readonly ManagementCommand<S>[],
): ManagementCommand<S>[] {
  return commands.map((command) => ({
    ...command,
    run: async (services, flags, stream, actor, rows) => {
      if (flags.dry_run !== true) {
        const entry = { action: "command.run", target: `command:${command.spec.name}`, changes: { flags } };
        await services.platformDb.run(actionEntry({ ...entry, actor, companyId: null, now: services.clock.now() }));
      }
      return command.run(services, flags, stream, actor, rows);
    },
  }));
}
