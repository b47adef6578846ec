import { createStore, useStore } from "../store.ts";

/** The breakpoint of the stylesheets: screens are wide from 768 px. */
const query = typeof matchMedia === "function" ? matchMedia("(max-width: 767.98px)") : undefined;
const small = createStore(query?.matches);
query?.addEventListener("change", ({ matches }) => small.set(matches));

/** Returns whether the screen is small. Returns undefined in the first paint, which is the same for all screens. */
export const useSmall = (): boolean | undefined => useStore(small);
