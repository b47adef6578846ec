import type { Output } from "../../commands/output.ts";
import { formatBytes } from "../format.ts";

/** The time between two updates of the progress on a terminal, and between two lines in a log. */
const TERMINAL_MS = 100;
const LOG_MS = 10_000;

/** Shows the number and the bytes of the files that were sent: on a terminal in place, else a line every ten seconds. */
export function createProgress(total: { files: number; bytes: number }, output: Output) {
  const { isTTY } = process.stderr;
  const done = { files: 0, bytes: 0 };
  let shownAt = Date.now();
  const clear = () => void (isTTY && process.stderr.write("\r\u001b[K"));
  return {
    add(bytes: number): void {
      done.files += 1;
      done.bytes += bytes;
      if (Date.now() - shownAt < (isTTY ? TERMINAL_MS : LOG_MS)) return;
      shownAt = Date.now();
      const text = `${done.files} of ${total.files} files sent, ${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}`;
      if (isTTY) process.stderr.write(`\r\u001b[K${text}`);
      else output.err(text);
    },
    clear,
  };
}
