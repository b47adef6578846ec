/** Returns a number of bytes with a unit, such as `41 KB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${units[unit]}`;
}

/** Returns a time of the API in the time zone of this machine, to the minute. */
export function formatTime(text: string): string {
  const time = new Date(text);
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Returns the part of a deployment's id that its address has, and that commands accept. */
export const shortId = (id: string): string => id.slice(0, 8);

/** Returns text of the API without control characters, which could change the terminal. */
export const plainText = (text: string): string => text.replace(/\p{Cc}+/gu, " ");
