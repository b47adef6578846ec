import { confirm, isCancel, select, text } from "@clack/prompts";

/** Asks on the terminal. Each function throws when the user cancels. */
export type Prompts = {
  text: (message: string, initialValue: string, validate: (value: string) => string | undefined) => Promise<string>;
  select: (message: string, options: { value: string; label: string }[]) => Promise<string>;
  confirm: (message: string) => Promise<boolean>;
};

function answered<T>(answer: T | symbol): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Error("Cancelled. Nothing was changed.");
  return answer as Exclude<T, symbol>;
}

/** Returns prompts on this terminal, or null if nobody can answer. */
export function openPrompts(): Prompts | null {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  return {
    text: async (message, initialValue, validate) =>
      answered(await text({ message, initialValue, validate: (value) => validate(value ?? "") })),
    select: async (message, options) => answered(await select({ message, options })),
    confirm: async (message) => answered(await confirm({ message })),
  };
}
