import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { isDirectory } from "../config/load/find.ts";
import { listFiles } from "../config/static-files.ts";

const collectMs = 100;

/** The paths to watch: single files, which may not exist yet, and folders (`trees`) with everything below them. */
export type Watched = { files: readonly string[]; trees: readonly string[] };
export type Watching = { update: (watched: Watched) => void; close: () => void; folderCount: () => number };

/**
 * Reports files that were changed, created or deleted. Watches folders instead of files, so that it notices editors that
 * save by rename. Watches the nearest existing parent of a missing folder. Collects changes for 100 ms.
 */
export function watchFiles(initial: Watched, onChange: (paths: string[]) => void): Watching {
  let watched = initial;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const watchers = new Map<string, { watcher: FSWatcher; inode: bigint }>();
  let previousStates = snapshot(watched);

  const drop = (folder: string) => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  const sync = () => {
    const folders = foldersOf(watched);
    for (const [folder, { inode }] of watchers) if (!folders.has(folder) || inodeOf(folder) !== inode) drop(folder);
    for (const folder of folders) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, schedule);
        watcher.on("error", () => drop(folder));
        watchers.set(folder, { watcher, inode: inodeOf(folder) ?? 0n });
      } catch {
        // The folder was deleted meanwhile. The next sync watches its parent.
      }
    }
  };
  const flush = () => {
    timer = undefined;
    if (isClosed) return;
    sync();
    const now = snapshot(watched);
    const paths = [...new Set([...previousStates.keys(), ...now.keys()])].filter(
      (path) => previousStates.get(path) !== now.get(path),
    );
    previousStates = now;
    if (paths.length > 0) onChange(paths.toSorted());
  };
  function schedule(): void {
    if (!isClosed) timer ??= setTimeout(flush, collectMs);
  }

  sync();
  // Report changes that happened while the watchers were set up.
  schedule();
  return {
    update: (next) => {
      const states = snapshot(next);
      // A file that is no longer watched must not be reported as deleted.
      for (const path of watched.files) if (!states.has(path)) previousStates.delete(path);
      watched = next;
      // A newly watched file starts from its current state. Changes of the other files must still be reported.
      for (const [path, state] of states) if (!previousStates.has(path)) previousStates.set(path, state);
      sync();
      schedule();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const folder of [...watchers.keys()]) drop(folder);
    },
    folderCount: () => watchers.size,
  };
}

function snapshot({ files, trees }: Watched): Map<string, string> {
  const paths = [...files, ...trees.flatMap((tree) => listFiles(tree).map((path) => join(tree, path)))];
  return new Map(paths.map((path) => [path, stateOf(path)]));
}

function stateOf(path: string): string {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state?.isFile() ? `${state.mtimeNs} ${state.size} ${state.ino}` : "absent";
}

/** Returns the folders to watch: the folder of each file, and every folder of each tree. */
function foldersOf({ files, trees }: Watched): Set<string> {
  const folders = new Set(files.map((file) => nearestExisting(dirname(file))));
  for (const tree of trees) {
    folders.add(nearestExisting(tree));
    if (isDirectory(tree)) for (const path of listFiles(tree)) folders.add(dirname(join(tree, path)));
  }
  return folders;
}

function nearestExisting(folder: string): string {
  let current = folder;
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current);
  return current;
}

function inodeOf(folder: string): bigint | undefined {
  return statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino;
}
