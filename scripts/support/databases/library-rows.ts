// Imports the mail library of the email Worker without file extensions, as the Workers do. Import this file with loadModule of
// load.ts.
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import { INTERNAL_EVENTS } from "../../../schemas/email/content/internal-events";
import { composeLibrary } from "../../../workers/email/content/library/compose-library";
import { type Library, libraryStatements } from "../../../workers/email/content/library/library.store";

export { composeLibrary } from "../../../workers/email/content/library/compose-library";

type SqlValue = string | number | null;

const literal = (value: SqlValue | undefined): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? null);

/** Returns the statements that load a library, as SQL with inlined values. Run them in one transaction. */
function libraryTexts(library: Library): string[] {
  return libraryStatements(library, Date.now()).flatMap(({ parts }) =>
    parts.map(({ text, values }) => text.replace(/\?(\d+)/g, (_mark, number) => literal(values[Number(number) - 1]))),
  );
}

/**
 * Returns the statements that load the current library. `isSmall` omits designs that no default mail uses. The version is
 * still recorded, so that no Worker loads the omitted designs.
 */
export async function currentLibraryTexts(isSmall: boolean): Promise<string[]> {
  const library = await composeLibrary();
  if (!isSmall) return libraryTexts(library);
  const usedDesigns = new Set([...CATALOG_EVENTS, ...INTERNAL_EVENTS].map(({ default_template }) => default_template));
  return libraryTexts({ ...library, designs: library.designs.filter(({ key }) => usedDesigns.has(key)) });
}
