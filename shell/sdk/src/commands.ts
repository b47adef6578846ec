import type { Command, Platform } from "../types/full.ts";
import type { createCore } from "./core.ts";
import { safely } from "./events.ts";
import type { Page } from "./link.ts";

/** Creates the methods for commands. The shell receives only their descriptions; their callbacks run in this page. */
export function createCommands(page: Page, { link, ready }: ReturnType<typeof createCore>): Pick<Platform, "commands"> {
  const id = link.newId();
  let current: readonly Command[] = [];
  const runWhere = (matches: (command: Command) => boolean) => {
    const command = current.find(matches);
    if (command !== undefined) safely(command.onRun);
    return command !== undefined;
  };
  // While the application has the focus, the shell receives no keys.
  page.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
    if (!key || defaultPrevented || altKey || !shiftKey || ctrlKey === metaKey) return;
    const combo = `mod+shift+${key.toLowerCase()}`;
    if (runWhere(({ shortcut }) => shortcut === combo)) event.preventDefault();
  });
  return {
    commands: {
      async set(commands) {
        await ready;
        const described = commands.map(({ onRun: _, ...command }) => command);
        const result = await link.send("PLATFORM_COMMANDS", { id, commands: described }, id, (message) => {
          if (message.type === "PLATFORM_COMMAND_RUN") runWhere((command) => command.id === message.payload.command);
        });
        if (result.error === null) current = [...commands];
        return result;
      },
    },
  };
}
