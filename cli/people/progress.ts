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
  const rate = () => done / seconds();
  function show(): void {
    const left = done === 0 ? "" : `, ${durationOf((total - done) / rate())} left`;
    const text = `${done} of ${total} rows, ${rateText(rate())}${left}`;
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
      rows_per_second: roundRate(rate()),
      peak_mb: Math.round(peakBytes / 1_000_000),
    }),
  };
}

/** Returns a rate as an integer, or with two digits when it is small: a limit may allow few rows per hour. */
const roundRate = (rate: number) => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate));

const rateText = (rowsPerSecond: number) =>
  rowsPerSecond < 1 ? `${roundRate(rowsPerSecond * 60)} rows/min` : `${Math.round(rowsPerSecond)} rows/s`;

function durationOf(seconds: number): string {
  const wholeSeconds = Math.ceil(seconds);
  if (wholeSeconds < 120) return `${wholeSeconds} s`;
  const minutes = Math.ceil(wholeSeconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}

export type Progress = ReturnType<typeof createProgress>;
