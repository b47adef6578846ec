/** The time between two updates of the progress on a terminal, and between two lines in a log. */
const TERMINAL_MS = 500;
const LOG_MS = 10_000;

/** Shows the number of rows, their rate and the time left on stderr. */
export function createProgress(total: number) {
  const startedAt = Date.now();
  const { isTTY } = process.stderr;
  let done = 0;
  let shownAt = startedAt;
  // `resourceUsage` does not show the peak of this process: on Linux it includes that of the process that started it.
  let peakBytes = process.memoryUsage.rss();

  const seconds = () => Math.max(0.001, (Date.now() - startedAt) / 1000);
  const rate = () => Math.round(done / seconds());
  function show(): void {
    const left = rate() === 0 ? "" : `, ${durationOf((total - done) / rate())} left`;
    const text = `${done} of ${total} rows, ${rate()} rows/s${left}`;
    process.stderr.write(isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  const clear = () => void (isTTY && process.stderr.write("\r\u001b[K"));

  return {
    /** prints a line on stderr instead of the progress, which the next update shows below it */
    print(line: string): void {
      clear();
      console.error(line);
    },
    add(rows: number): void {
      done += rows;
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      if (Date.now() - shownAt < (isTTY ? TERMINAL_MS : LOG_MS)) return;
      shownAt = Date.now();
      show();
    },
    end: clear,
    /** returns the duration, the rate, and the peak memory of this process */
    rates: () => ({
      seconds: Math.round(seconds() * 10) / 10,
      rows_per_second: rate(),
      peak_mb: Math.round(peakBytes / 1_000_000),
    }),
  };
}

function durationOf(seconds: number): string {
  const wholeSeconds = Math.ceil(seconds);
  return wholeSeconds < 120 ? `${wholeSeconds} s` : `${Math.ceil(wholeSeconds / 60)} min`;
}

export type Progress = ReturnType<typeof createProgress>;
