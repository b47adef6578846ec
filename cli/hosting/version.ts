/** Matches a semantic version (semver.org, 2.0.0). */
export const semanticVersion =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** Returns a time in UTC as a semantic version that sorts by time: `2026.1128.43005` for 2026-11-28 04:30:05. */
export function versionOfTime(time: Date): string {
  const day = (time.getUTCMonth() + 1) * 100 + time.getUTCDate();
  const second = time.getUTCHours() * 10_000 + time.getUTCMinutes() * 100 + time.getUTCSeconds();
  return `${time.getUTCFullYear()}.${day}.${second}`;
}
