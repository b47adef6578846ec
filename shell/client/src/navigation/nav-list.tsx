import { useId } from "react";
import { isGroup, type PageEntry, type PageGroup } from "../../../../schemas/shell/page.ts";
import { useShell } from "../shell/context.ts";
import { entryKey, useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { NavLink, setTooltipIfCut } from "./nav-link.tsx";

/** A list of items and groups. A group is a button that toggles its list. The settings store which groups are open. */
export function NavList({
  entries,
  tooltips = false,
  onOpen,
}: {
  entries: readonly PageEntry[];
  tooltips?: boolean;
  onOpen?: () => void;
}) {
  return (
    <ul class="nav-list">
      {entries.map((entry) => (
        <li key={entryKey(entry)}>
          {isGroup(entry) ? (
            <NavGroup group={entry} tooltips={tooltips} {...(onOpen && { onOpen })} />
          ) : (
            <NavLink item={entry} tooltip={tooltips} {...(onOpen && { onOpen })} />
          )}
        </li>
      ))}
    </ul>
  );
}

function NavGroup({ group, tooltips, onOpen }: { group: PageGroup; tooltips: boolean; onOpen?: () => void }) {
  const { settings } = useShell();
  const id = useId();
  const key = entryKey(group);
  const open = useStore(settings, ({ groups }) => groups?.[key] ?? !group.collapsed);
  const title = useText()(group.title);
  const toggle = () => settings.set((last) => ({ ...last, groups: { ...last.groups, [key]: !open } }));
  return (
    <>
      <button
        type="button"
        class="nav-group"
        aria-expanded={open}
        aria-controls={id}
        onMouseEnter={({ currentTarget }) => setTooltipIfCut(currentTarget, title)}
        onClick={toggle}
      >
        <span dir="auto">{title}</span>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={14} />
      </button>
      <div id={id} hidden={!open}>
        <NavList entries={group.items} tooltips={tooltips} {...(onOpen && { onOpen })} />
      </div>
    </>
  );
}
