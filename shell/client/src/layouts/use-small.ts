import { createStore, useStore } from "../store.ts";

/** As the styles have it: from 768 px on a screen is wide. */
const query = typeof matchMedia === "function" ? matchMedia("(max-width: 767.98px)") : undefined;
const small = createStore(query?.matches);
query?.addEventListener("change", ({ matches }) => small.set(matches));

/** Whether the screen is small; undefined in the first paint, which stands for screens of any width. */
export const useSmall = (): boolean | undefined => useStore(small);
