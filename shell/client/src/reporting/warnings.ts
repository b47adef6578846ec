import { createStore } from "../store.ts";

export type Warning = { time: number; text: string };

const MAX_WARNINGS = 50;

/** The warnings of this page, latest first. The diagnostics view shows them. */
export const warnings = createStore<readonly Warning[]>([]);

/** Stores a warning and logs it. The text must contain no personal data. */
export function warn(text: string): void {
  console.warn(text);
  warnings.set((all) => [{ time: Date.now(), text }, ...all].slice(0, MAX_WARNINGS));
}
