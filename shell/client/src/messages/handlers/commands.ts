import { type AppCommand, replaceCommands } from "../../commands/commands.ts";
import { handler } from "../handler.ts";
import { readFields, readOptional, readText } from "../read.ts";

const MAX_COMMANDS = 50;

const readPattern = (pattern: RegExp) => (value: unknown) => {
  const text = readText(value, 200);
  return text !== undefined && pattern.test(text) ? text : undefined;
};

function readCommand(value: unknown): AppCommand | undefined {
  const fields = readFields(value) ?? {};
  const id = readText(fields.id, 128);
  const title = readText(fields.title, 80);
  const optional = readOptional(fields, {
    icon: readPattern(/^\/?icons\/[\w./-]+\.svg$/),
    shortcut: readPattern(/^mod\+shift\+[a-z]$/),
    keywords: (keywords) => readText(keywords, 200),
  });
  return id === undefined || title === undefined || optional === undefined ? undefined : { id, title, ...optional };
}

export const commandHandlers = {
  PLATFORM_COMMANDS: handler({
    from: "any",
    read(payload) {
      const { id, commands } = readFields(payload) ?? {};
      const message = readText(id, 128);
      if (message === undefined || !Array.isArray(commands) || commands.length > MAX_COMMANDS) return undefined;
      const read = commands.map(readCommand).filter((command) => command !== undefined);
      const areUnique = new Set(read.map((command) => command.id)).size === commands.length;
      return areUnique ? { message, commands: read } : undefined;
    },
    run({ shell, frame, send }, { message, commands }) {
      if (frame.kind !== "content") return "forbidden";
      const run = (command: string) => send("PLATFORM_COMMAND_RUN", { id: message, command });
      replaceCommands(shell.commands, frame.id, commands.length === 0 ? undefined : { owner: frame.id, commands, run });
      return undefined;
    },
  }),
};
