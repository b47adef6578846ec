const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/CriOS\/|Chrome\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^platform-cli|node/i, "platform"],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Returns the names of the browser and the operating system in a `User-Agent`. A name is null if it is unknown. */
export function readUserAgent(text: string): { browser: string | null; system: string | null } {
  const first = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  return { browser: first(browsers), system: first(systems) };
}
