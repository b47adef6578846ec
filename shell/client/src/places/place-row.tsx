import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "react";
import type { PageItem } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { useText } from "../shell/use-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { followDrag } from "./follow-drag.ts";
import { usePins } from "./use-pins.ts";
import "./place-row.css";

/**
 * A row of the sidebar with a menu that pins, unpins and moves it. Pinned rows are also moved by dragging, and by Alt with an
 * arrow key.
 */
export function PlaceRow({ item, children }: { item: PageItem; children: ComponentChildren }) {
  const t = useT();
  const label = useText()(item.label);
  const pins = usePins();
  const row = useRef<HTMLLIElement>(null);
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const { path } = item;
  const { visible } = pins;
  const position = visible.indexOf(path);
  const isPinned = position !== -1;
  // The row moves in the document, which would move the focus to the page.
  const returnFocus = useRef(false);
  useEffect(() => {
    if (!returnFocus.current) return;
    returnFocus.current = false;
    row.current?.querySelector("a")?.focus();
  });
  const moveTo = (next: number) => {
    if (next < 0 || next >= visible.length || next === position) return;
    returnFocus.current = true;
    pins.move(path, next);
    pins.save();
    setAnnouncement(t("nav.moved", { title: label, position: next + 1, count: visible.length }));
  };
  const entries: MenuEntry[] = isPinned
    ? [
        { key: "unpin", text: t("nav.unpin"), icon: "pin-off", onSelect: () => pins.toggle(path) },
        ...(position === 0
          ? []
          : [{ key: "up", text: t("nav.moveUp"), icon: "arrow-up" as const, onSelect: () => moveTo(position - 1) }]),
        ...(position === visible.length - 1
          ? []
          : [
              {
                key: "down",
                text: t("nav.moveDown"),
                icon: "arrow-down" as const,
                onSelect: () => moveTo(position + 1),
              },
            ]),
      ]
    : pins.isFull
      ? []
      : [{ key: "pin", text: t("nav.pin"), icon: "pin", onSelect: () => pins.toggle(path) }];
  return (
    <li
      ref={row}
      class="place"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={({ currentTarget, relatedTarget }) =>
        setFocused(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
      }
      onKeyDown={(event) => {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!isPinned || !event.altKey || step === undefined) return;
        event.preventDefault();
        moveTo(position + step);
      }}
      onDragStart={(event) => {
        if (isPinned) event.preventDefault();
      }}
      onPointerDown={(event) => {
        if (!isPinned || event.button !== 0 || event.pointerType === "touch") return;
        followDrag(event.currentTarget, event, (next) => pins.move(path, next), pins.save);
      }}
    >
      {children}
      {(hovered || focused) && entries.length > 0 ? (
        <Menu
          label={t("nav.actions", { title: label })}
          opener={<Icon name="ellipsis" size={14} />}
          openerClass="icon-button place-menu"
          entries={entries}
        />
      ) : null}
      {isPinned ? (
        <span class="visually-hidden" aria-live="polite">
          {announcement}
        </span>
      ) : null}
    </li>
  );
}
