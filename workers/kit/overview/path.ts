/** Returns a path with query parameters. */
export function pathOf(path: string, query: Record<string, string | number | boolean>): string {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return `${path}?${parameters}`;
}
