import { createContext, useContext } from "react";
import type { Shell } from "./shell.ts";

const ShellContext = createContext<Shell | null>(null);

export const ShellProvider = ShellContext.Provider;

/** Returns the shell of this page. Throws outside of `ShellProvider`. */
export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === null) throw new Error("useShell was called outside of ShellProvider");
  return shell;
}
