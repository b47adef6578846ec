import { ARCANE } from "./arcane";
import { BAREBONE } from "./barebone";
import type { DesignSet } from "./look";
import { MATTE } from "./matte";
import { PROTOCOL } from "./protocol";
import { STUDIO } from "./studio";

export type { DesignSet };

/** The sets of the library, in the order in which they are shown. */
export const DESIGN_SETS: readonly DesignSet[] = [BAREBONE, MATTE, PROTOCOL, ARCANE, STUDIO];

/** The set of a key; a document of no known set, such as a company's own, looks plain. */
export function findSet(key: string): DesignSet {
  return DESIGN_SETS.find((set) => set.key === key) ?? BAREBONE;
}
