import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-names.ts";

export type MenuEntry =
  | "line"
  | { key: string; text: ComponentChildren; icon?: IconName; href?: string; current?: boolean; onSelect?: () => void };

/** Positions a menu below its opener, or above it if there is no room, at least 8 px from the edges of the window. */
function positionMenu(menu: HTMLElement, opener: HTMLElement, end: boolean) {
  const openerBox = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = end ? openerBox.right - width : openerBox.left;
  const below = openerBox.bottom + 4;
  const top = below + height > innerHeight - 8 ? Math.max(8, openerBox.top - height - 4) : below;
  menu.style.left = `${Math.min(Math.max(8, left), Math.max(8, innerWidth - width - 8))}px`;
  menu.style.top = `${top}px`;
}

/**
 * A button with a menu, which is a native popover. Arrow keys move the focus. Escape closes the menu and returns the focus to
 * the button. Entries with `href` are links.
 */
export function Menu({
  label,
  entries,
  opener,
  openerClass = "icon-button",
  head,
  end = false,
}: {
  /** accessible name of the opener, if the opener is only an icon */
  label?: string;
  entries: MenuEntry[];
  opener: ComponentChildren;
  openerClass?: string;
  /** content above the entries */
  head?: ComponentChildren;
  /** aligns the menu with the end of the opener */
  end?: boolean;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const element = menu.current;
    const toggled = (event: Event) => {
      const isOpen = (event as ToggleEvent).newState === "open";
      setOpen(isOpen);
      if (!isOpen || !element || !button.current) return;
      positionMenu(element, button.current, end);
      element.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    };
    element?.addEventListener("toggle", toggled);
    return () => element?.removeEventListener("toggle", toggled);
  }, [end]);
  const moveFocus = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const index = items.indexOf(document.activeElement as HTMLElement);
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") menu.current?.hidePopover();
    if (target === undefined) return;
    event.preventDefault();
    items.at(target % items.length)?.focus();
  };
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        ref={button}
        type="button"
        class={openerClass}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        popovertarget={id}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        {opener}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        class="menu"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={moveFocus}
      >
        {head}
        {entries.map((entry, index) =>
          entry === "line" ? (
            <hr key={`line-${index}`} class="menu-line" />
          ) : (
            <Entry key={entry.key} entry={entry} close={close} />
          ),
        )}
      </div>
    </>
  );
}

function Entry({ entry, close }: { entry: Exclude<MenuEntry, "line">; close: () => void }) {
  const inside = (
    <>
      {entry.icon ? <Icon name={entry.icon} /> : null}
      <span>{entry.text}</span>
    </>
  );
  const select = () => {
    close();
    entry.onSelect?.();
  };
  const current = entry.current ? { "aria-current": "page" as const } : {};
  if (entry.href === undefined)
    return (
      <button type="button" role="menuitem" class="menu-item" tabIndex={-1} onClick={select} {...current}>
        {inside}
      </button>
    );
  return (
    <a role="menuitem" class="menu-item" tabIndex={-1} href={entry.href} onClick={select} {...current}>
      {inside}
    </a>
  );
}
