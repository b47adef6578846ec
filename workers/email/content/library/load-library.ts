import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { findLibraryVersion, type Library, libraryStatements } from "./library.store";

/** The library in the assets of this Worker. */
export type LibraryAssets = {
  /** memoized per isolate */
  version: () => Promise<string>;
  read: (version: string) => Promise<Library>;
};

const FOLDER = "https://assets/static/library";

/** Returns a reader of the library in the assets. Its methods throw when an asset is missing. */
export function openLibraryAssets(assets: Fetcher): LibraryAssets {
  let loadedVersion: string | null = null;
  const read = async <T>(file: string): Promise<T> => {
    const response = await assets.fetch(`${FOLDER}/${file}.json`);
    if (!response.ok) throw new Error(`asset static/library/${file}.json: ${response.status}`);
    return response.json<T>();
  };
  return {
    version: async () => {
      loadedVersion ??= (await read<{ version: string }>("manifest")).version;
      return loadedVersion;
    },
    read: (version) => read<Library>(version),
  };
}

type Services = Pick<EmailServices, "platformDb" | "library" | "clock" | "log">;

/**
 * Loads this Worker's library unless the database has loaded that version before. Returns whether it loaded it. Each version
 * becomes current only once, so an older Worker never replaces a newer library during a deployment or after a rollback.
 */
export async function loadLibrary({ platformDb, library, clock, log }: Services): Promise<boolean> {
  const version = await library.version();
  if ((await platformDb.first(findLibraryVersion({ version }))) !== null) return false;
  await platformDb.batch({ library: libraryStatements(await library.read(version), clock.now()) });
  log.info("mail library loaded", { version });
  return true;
}

/** Starts loading the library in the background and returns the 503 `library_not_synced` for a request that needs it. */
export function libraryMissing(services: Services & Pick<EmailServices, "waitUntil">): Problem {
  const load = loadLibrary(services).catch((error: unknown) =>
    services.log.error("mail library was not loaded", { error: String(error) }),
  );
  services.waitUntil(load);
  return new Problem("library_not_synced", { headers: { "retry-after": "1" } });
}
