import { itemOf } from "../frames/frame-spec.ts";
import { Framed } from "../frames/framed.tsx";
import { levelOfItem } from "../frames/trust.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";

/** The settings page of an application, in a frame with the trust level of its item. */
export function Application({ path }: { path: string }) {
  const shell = useShell();
  const text = useText();
  const generation = useStore(shell.frames.generation);
  const item = itemOf(shell, path);
  if (item?.settings === undefined) return null;
  const { permissions, sandbox, settings } = item;
  const url = new URL(settings, location.origin).href;
  return (
    <div class="app-panel">
      <Framed
        key={generation}
        spec={{
          kind: "panel",
          key: path,
          label: text(item.label),
          url,
          level: levelOfItem(item),
          permissions,
          sandbox,
        }}
      />
    </div>
  );
}
