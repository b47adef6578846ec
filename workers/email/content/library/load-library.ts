import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { findLibraryVersion, type Library, libraryStatements } from "./library.store";

/** Reads the library from the assets of this Worker. */
export type LibraryAssets = {
  /** Returns the version of the library. It is cached per isolate. */
  version: () => Promise<string>;
  read: (version: string) => Promise<Library>;
};

const FOLDER = "https://assets/static/library";

/** Creates a reader for the library in the assets. Its methods throw when an asset is missing. */
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
 * Loads the library of this Worker into the database unless this version was loaded before. Returns whether it was loaded. A
 * version becomes current only once, so an older Worker cannot replace a newer library during a deployment or a rollback.
 */
export async function loadLibrary({ platformDb, library, clock, log }: Services): Promise<boolean> {
  const version = await library.version();
  if ((await platformDb.first(findLibraryVersion({ version }))) !== null) return false;
  await platformDb.batch({ library: libraryStatements(await library.read(version), clock.now()) });
  log.info("mail library loaded", { version });
  return true;
}

/** Starts to load the library in the background. Returns the error 503 `library_not_synced` for the current request. */
export function libraryMissing(services: Services & Pick<EmailServices, "waitUntil">): Problem {
  const load = loadLibrary(services).catch((error: unknown) =>
    services.log.error("mail library was not loaded", { error: String(error) }),
  );
  services.waitUntil(load);
  return new Problem("library_not_synced", { headers: { "retry-after": "1" } });
}
