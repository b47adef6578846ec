import { library_versions } from "../../../db/email/schema";
import { loadLibrary } from "../../../workers/email/content/library/load-library";
import { startServices } from "./delivery";
import { db } from "./rows";

/**
 * Loads this Worker's template library unless the database already has its version. Returns whether it loaded the
 * library.
 */
export const loadOnce = (): Promise<boolean> => loadLibrary(startServices());

/** Loads every built-in design; by default tests have only the designs of the default mails. */
export async function loadFullLibrary(): Promise<void> {
  await db.delete(library_versions);
  await loadOnce();
}
