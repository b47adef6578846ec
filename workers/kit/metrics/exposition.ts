/** One value of a series. It is finite, and the value of a counter never decreases. */
export type Sample = { labels?: Record<string, string | number>; value: number };

/** A metric with its series. The name of a counter ends in `_total`. */
export type Family = { name: string; type: "gauge" | "counter"; help: string; samples: Sample[] };

type Format = "text" | "openmetrics";

const CONTENT_TYPES: Record<Format, string> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Returns the response of a scrape as text 0.0.4, or as OpenMetrics 1.0 when `Accept` prefers it. Never responds 406.
 */
export function exposeMetrics(families: Family[], accept: string | null): Response {
  const format = chooseFormat(accept);
  const headers = { "content-type": CONTENT_TYPES[format], vary: "Accept" };
  return new Response(renderMetrics(families, format), { headers });
}

/** Renders metrics as text; labels are in alphabetical order. */
export function renderMetrics(families: Family[], format: Format): string {
  const lines = families.flatMap((family) => renderFamily(family, format));
  return [...lines, ...(format === "openmetrics" ? ["# EOF"] : []), ""].join("\n");
}

function renderFamily({ name, type, help, samples }: Family, format: Format): string[] {
  // OpenMetrics omits `_total` from the name of a counter but not from its samples. Text 0.0.4 uses the full name
  // everywhere.
  const title = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
  return [
    `# HELP ${title} ${escapeHelp(help, format)}`,
    `# TYPE ${title} ${type}`,
    ...samples.map(({ labels = {}, value }) => `${name}${renderLabels(labels)} ${value}`),
  ];
}

function renderLabels(labels: Record<string, string | number>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Escapes a help text. OpenMetrics also escapes quotes; text 0.0.4 would show the backslash. */
function escapeHelp(text: string, format: Format): string {
  return format === "openmetrics" ? escapeLabel(text) : text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/**
 * Returns the format that `Accept` prefers (RFC 9110, section 12.5.1): the highest quality, then the more specific
 * range, then the range listed first. Ignores unknown versions. Without a match the format is text.
 */
export function chooseFormat(accept: string | null): Format {
  const accepted = (accept ?? "").split(",").flatMap((range, position) => {
    const read = readRange(range);
    return read && read.quality > 0 ? [{ ...read, position }] : [];
  });
  accepted.sort((a, b) => b.quality - a.quality || b.specificity - a.specificity || a.position - b.position);
  return accepted[0]?.format ?? "text";
}

const RANGES: Record<string, { format: Format; specificity: number; version: string }> = {
  "application/openmetrics-text": { format: "openmetrics", specificity: 2, version: "1.0.0" },
  "text/plain": { format: "text", specificity: 2, version: "0.0.4" },
  "text/*": { format: "text", specificity: 1, version: "" },
  "*/*": { format: "text", specificity: 0, version: "" },
};

function readRange(text: string): { format: Format; specificity: number; quality: number } | null {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const range = Object.hasOwn(RANGES, name) ? RANGES[name] : undefined;
  if (!range) return null;
  const parameterOf = (key: string) =>
    parameters
      .find((parameter) => parameter.startsWith(`${key}=`))
      ?.slice(key.length + 1)
      .replaceAll('"', "");
  const version = parameterOf("version");
  if (version !== undefined && range.version !== "" && version !== range.version) return null;
  const quality = parameterOf("q") ?? "1";
  if (!/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality)) return null;
  return { format: range.format, specificity: range.specificity, quality: Number(quality) };
}
