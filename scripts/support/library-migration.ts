/** A file of the migrations folder. */
export type MigrationFile = { name: string; text: string };

const isLibrary = ({ name }: MigrationFile): boolean => /^\d{4}_library\.sql$/.test(name);

/**
 * Name of the file that is to hold `composed`, or null when the newest migration of the library does. One that is in use
 * already (`isCommitted`) stays as it is, because a database that has applied it never looks at it again.
 */
export function findLibraryTarget(
  files: readonly MigrationFile[],
  composed: string,
  isCommitted: (name: string) => boolean,
): string | null {
  const sorted = files.filter(({ name }) => /^\d{4}_.*\.sql$/.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const newest = sorted.findLast(isLibrary);
  if (newest?.text === composed) return null;
  if (newest !== undefined && !isCommitted(newest.name)) return newest.name;
  const last = Number(sorted.at(-1)?.name.slice(0, 4) ?? -1);
  return `${String(last + 1).padStart(4, "0")}_library.sql`;
}
