import { createStore, useStore } from "../store.ts";

/** The same breakpoint as in the styles: screens are wide from 768 px. */
const query = typeof matchMedia === "function" ? matchMedia("(max-width: 767.98px)") : undefined;
const small = createStore(query?.matches);
query?.addEventListener("change", ({ matches }) => small.set(matches));

/** Whether the screen is small; undefined in the first paint, which serves screens of any width. */
export const useSmall = (): boolean | undefined => useStore(small);
