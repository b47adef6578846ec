import { library_versions } from "../../../db/email/schema";
import { loadLibrary } from "../../../workers/email/content/library/load-library";
import { startServices } from "./delivery";
import { db } from "./rows";

/** Loads this Worker's library if the database has not recorded its version; true when it did. */
export const loadOnce = (): Promise<boolean> => loadLibrary(startServices());

/** Loads every built-in design: tests begin with those of the default mails alone. */
export async function loadFullLibrary(): Promise<void> {
  await db.delete(library_versions);
  await loadOnce();
}
