import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { PageItem } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { useAccountEntries } from "../layouts/account-menu.tsx";
import { NavIcon } from "../navigation/nav-icon.tsx";
import { useNavigation, useOpening } from "../navigation/use-navigation.ts";
import { itemsOf, pathOf } from "../router/navigation.ts";
import { loginAddress } from "../router/next.ts";
import { addressText } from "../router/router.ts";
import { useSections } from "../settings/sections.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useViewer } from "../shell/viewer.ts";
import { IconButton } from "../ui/button.tsx";
import { useModal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon-names.ts";
import { ranked } from "./rank.ts";
import "./palette.css";

type Choice = {
  key: string;
  text: string;
  keywords?: string;
  hint: string;
  icon?: IconName;
  item?: PageItem;
  run: () => void;
};

/** Command palette: finds items, settings sections and account actions. */
export function Palette() {
  const { palette } = useShell();
  const t = useT();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const close = () => palette.set(false);
  const modal = useModal(close);
  const [typed, setTyped] = useState("");
  const [selectedRow, setSelectedRow] = useState(0);
  const choices = useChoices();
  const results = useMemo(() => ranked(choices, typed), [choices, typed]);
  const index = Math.min(selectedRow, Math.max(0, results.length - 1));
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    close();
    choice.run();
  };
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: "nearest" }), [index]);
  return (
    <dialog {...modal} class="dialog palette" aria-label={t("palette.open")}>
      <div class="palette-head">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={results[index] === undefined ? undefined : `${id}-${index}`}
          aria-label={t("palette.label")}
          placeholder={t("palette.hint")}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setSelectedRow(0);
          }}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step !== undefined) setSelectedRow((index + step + results.length) % Math.max(1, results.length));
            else if (event.key === "Enter") run(results[index]);
            else return;
            event.preventDefault();
          }}
        />
        <kbd class="keys">Esc</kbd>
        <IconButton icon="x" label={t("common.close")} class="palette-close" onClick={close} />
      </div>
      <div ref={list} id={id} class="palette-list" role="listbox" aria-label={t("palette.open")}>
        {results.map((choice, row) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
          <div
            key={choice.key}
            id={`${id}-${row}`}
            role="option"
            tabIndex={-1}
            aria-selected={row === index}
            class="palette-row"
            onPointerMove={() => setSelectedRow(row)}
            onClick={() => run(choice)}
          >
            {choice.icon ? (
              <Icon name={choice.icon} />
            ) : (
              <NavIcon icon={choice.item?.icon} url={choice.item?.url} label={choice.text} />
            )}
            <span class="nav-text" dir="auto">
              {choice.text}
            </span>
            <span class="muted tiny">{choice.hint}</span>
          </div>
        ))}
      </div>
      {results.length === 0 ? <p class="palette-empty muted">{t("palette.empty", { typed })}</p> : null}
      <div class="visually-hidden" aria-live="polite">
        {typed === "" ? "" : t("palette.count", { count: results.length })}
      </div>
    </dialog>
  );
}

function useChoices(): Choice[] {
  const { page, router, overlays } = useShell();
  const t = useT();
  const text = useText();
  const viewer = useViewer();
  const { start, end } = useNavigation();
  const opening = useOpening();
  const sections = useSections();
  const account = useAccountEntries();
  const navigateTo = (to: string) => () => router.navigate(to);
  const items = itemsOf([...start, ...end]).map(({ item, groups }): Choice => {
    const group = groups.map(({ title }) => text(title)).join(" / ");
    const openIn = opening(item);
    const run =
      openIn === "external"
        ? () => void open(item.url, "_blank", "noopener,noreferrer")
        : openIn === "default"
          ? navigateTo(pathOf(item))
          : () => overlays.openItem(item);
    return { key: `item:${item.path}`, text: text(item.label), keywords: group, hint: group, item, run };
  });
  const settings = sections.map(({ id, title, icon }): Choice => {
    const hint = t("settings.title");
    return { key: `section:${id}`, text: title, keywords: hint, hint, icon, run: navigateTo(`/__settings/${id}`) };
  });
  const actions = account.flatMap((entry): Choice[] =>
    entry === "line" || typeof entry.text !== "string" || entry.key === "settings" || entry.key === "account"
      ? []
      : [
          {
            key: entry.key,
            text: entry.text,
            hint: t("account.settings"),
            icon: entry.icon ?? "circle-user",
            run: entry.onSelect ?? navigateTo(entry.href ?? "/"),
          },
        ],
  );
  const signIn: Choice[] =
    page.get().config.backend !== undefined && !viewer.signedIn
      ? [
          {
            key: "in",
            text: t("account.signIn"),
            hint: t("account.settings"),
            icon: "log-in",
            run: navigateTo(loginAddress(addressText(router.get()))),
          },
        ]
      : [];
  return [...items, ...actions, ...signIn, ...settings];
}
