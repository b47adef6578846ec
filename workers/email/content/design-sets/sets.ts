import { ARCANE } from "./arcane";
import { BAREBONE } from "./barebone";
import type { DesignSet } from "./look";
import { MATTE } from "./matte";
import { PROTOCOL } from "./protocol";
import { STUDIO } from "./studio";

export type { DesignSet };

/** The design sets of the library in display order. */
export const DESIGN_SETS: readonly DesignSet[] = [BAREBONE, MATTE, PROTOCOL, ARCANE, STUDIO];

/** Returns the design set with this key. Returns the plain set for an unknown key, for example "" in company templates. */
export function findSet(key: string): DesignSet {
  return DESIGN_SETS.find((set) => set.key === key) ?? BAREBONE;
}
