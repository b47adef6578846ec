import { createStore } from "../store.ts";

export type Warning = { time: number; text: string };

const KEPT = 50;

/** What went wrong in this page without stopping it, the last of it first; shown by the diagnostics. */
export const warnings = createStore<readonly Warning[]>([]);

/** Keeps a warning and writes it to the console. Texts hold no personal data and no addresses of people. */
export function warn(text: string): void {
  console.warn(text);
  warnings.set((all) => [{ time: Date.now(), text }, ...all].slice(0, KEPT));
}
