import { createStore, type Store } from "../store.ts";

/** A command that an application adds to the palette. */
export type AppCommand = {
  id: string;
  title: string;
  /** path of an SVG file below `/icons/`; default: the icon of the application's item */
  icon?: string;
  /** key combination such as `mod+shift+e` */
  shortcut?: string;
  keywords?: string;
};

/** The commands of an application: its frame, and the function that runs a command by its id. */
export type CommandSet = { owner: string; commands: readonly AppCommand[]; run: (id: string) => void };

export type Commands = Store<readonly CommandSet[]>;

/** Creates the store of the commands of all loaded applications. */
export const createCommands = (): Commands => createStore<readonly CommandSet[]>([]);

/** Replaces the commands of an application. Undefined removes them. */
export function replaceCommands(commands: Commands, owner: string, next: CommandSet | undefined): void {
  const others = commands.get().filter((set) => set.owner !== owner);
  if (next !== undefined || others.length < commands.get().length)
    commands.set(next === undefined ? others : [...others, next]);
}

/** Returns the keys of a combination as they are written on this keyboard: `["Ctrl", "Shift", "E"]`. */
export function keysOf(shortcut: string, platform: string): string[] {
  const names: Record<string, string> = /Mac|iPhone|iPad/.test(platform)
    ? { mod: "⌘", shift: "⇧" }
    : { mod: "Ctrl", shift: "Shift" };
  return shortcut.split("+").map((key) => names[key] ?? key.toUpperCase());
}
