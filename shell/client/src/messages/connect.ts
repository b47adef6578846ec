import type { Shell } from "../shell/shell.ts";

/** Joins the frames to the shell. */
export function connectFrames(_shell: Shell): void {}
