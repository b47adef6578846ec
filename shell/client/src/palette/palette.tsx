import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { NavIcon } from "../navigation/nav-icon.tsx";
import { useShell } from "../shell/context.ts";
import { IconButton } from "../ui/button.tsx";
import { useModal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { ranked } from "./rank.ts";
import { type Choice, type ChoiceGroup, useChoices } from "./use-choices.ts";
import "./palette.css";

/** Command palette: finds commands, items, settings sections and account actions. */
export function Palette() {
  const { palette } = useShell();
  const t = useT();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const close = () => palette.set(false);
  const modal = useModal(close);
  const [typed, setTyped] = useState("");
  const [selectedRow, setSelectedRow] = useState(0);
  const groups = useChoices();
  const listed = useMemo(() => matchingGroups(groups, typed), [groups, typed]);
  const results = listed.flatMap(({ choices }) => choices);
  const index = Math.min(selectedRow, Math.max(0, results.length - 1));
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    close();
    choice.run();
  };
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [index]);
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
        {listed.map(({ title, choices }, at) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, not options
          <div key={`${at} ${title}`} role="group" aria-labelledby={title === "" ? undefined : `${id}-group-${at}`}>
            {title === "" ? null : (
              <div id={`${id}-group-${at}`} class="palette-group" role="presentation">
                {title}
              </div>
            )}
            {choices.map((choice) => {
              const row = results.indexOf(choice);
              return (
                <Row
                  key={choice.key}
                  id={`${id}-${row}`}
                  choice={choice}
                  hint={title === "" ? choice.hint : ""}
                  isSelected={row === index}
                  onSelect={() => setSelectedRow(row)}
                  onRun={() => run(choice)}
                />
              );
            })}
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

/** Returns the groups without a search, else one group without a title with the matching choices, best first. */
function matchingGroups(groups: ChoiceGroup[], typed: string): ChoiceGroup[] {
  if (typed.trim() === "") return groups;
  const choices = ranked(
    groups.flatMap((group) => group.choices),
    typed,
  );
  return choices.length === 0 ? [] : [{ title: "", choices }];
}

function Row({
  id,
  choice,
  hint,
  isSelected,
  onSelect,
  onRun,
}: {
  id: string;
  choice: Choice;
  hint: string;
  isSelected: boolean;
  onSelect: () => void;
  onRun: () => void;
}) {
  const { icon, item, text, keys } = choice;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      class="palette-row"
      onPointerMove={onSelect}
      onClick={onRun}
    >
      {icon ? <Icon name={icon} /> : <NavIcon icon={item?.icon} url={item?.url} label={text} />}
      <span class="nav-text" dir="auto">
        {text}
      </span>
      {hint === "" ? null : <span class="muted tiny">{hint}</span>}
      {keys === undefined ? null : (
        <span class="keys">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}
