import { useNavigation } from "../navigation/use-navigation.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { MAX_PINNED, movedTo, splitPinned, toggled } from "./pins.ts";

/** Returns the pinned places that the user sees, and functions that change them in this browser and in the account. */
export function usePins() {
  const { settings, session } = useShell();
  const { start } = useNavigation();
  const stored = useStore(settings, ({ pinned }) => pinned) ?? [];
  const visible = splitPinned(start, stored).items.map(({ path }) => path);
  const set = (change: (last: readonly string[]) => string[]) =>
    settings.set((last) => ({ ...last, pinned: change(last.pinned ?? []) }));
  const save = () => void session?.updatePreferences({ pinned: settings.get().pinned ?? [] });
  return {
    visible,
    isFull: stored.length >= MAX_PINNED,
    isPinned: (path: string) => stored.includes(path),
    toggle(path: string) {
      set((last) => toggled(last, path));
      save();
    },
    /** Moves a pin to a position among the visible pins, only in this browser until `save` is called. */
    move: (path: string, position: number) => set((last) => movedTo(last, visible, path, position)),
    save,
  };
}
