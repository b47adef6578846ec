import type { ComponentChildren, ComponentType } from "preact";
import { useId } from "react";
import { isGroup, type PageEntry, type PageGroup, type PageItem } from "../../../../schemas/shell/page.ts";
import { useShell } from "../shell/context.ts";
import { entryKey, useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { NavLink, setTooltipIfCut } from "./nav-link.tsx";

type Options = {
  tooltips?: boolean;
  onOpen?: () => void;
  /** the list item of a link, if it is more than the link */
  row?: ComponentType<{ item: PageItem; children: ComponentChildren }>;
};

const PlainRow = ({ children }: { children: ComponentChildren }) => <li>{children}</li>;

/** A list of items and groups. A group is a button that toggles its list. The settings store which groups are open. */
export function NavList({ entries, ...options }: Options & { entries: readonly PageEntry[] }) {
  const { tooltips = false, onOpen, row: Row = PlainRow } = options;
  return (
    <ul class="nav-list">
      {entries.map((entry) =>
        isGroup(entry) ? (
          <li key={entryKey(entry)}>
            <NavGroup group={entry} {...options} />
          </li>
        ) : (
          <Row key={entryKey(entry)} item={entry}>
            <NavLink item={entry} tooltip={tooltips} {...(onOpen && { onOpen })} />
          </Row>
        ),
      )}
    </ul>
  );
}

function NavGroup({ group, ...options }: Options & { group: PageGroup }) {
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
        <NavList entries={group.items} {...options} />
      </div>
    </>
  );
}
