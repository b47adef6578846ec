import type { ComponentType } from "react";
import { APP_SECTION_PREFIX } from "../../../../schemas/shell/settings-sections.ts";
import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import { lazy } from "../shell/lazy.tsx";
import { Icon } from "../ui/icon.tsx";
import { NotFound } from "../views/not-found.tsx";
import { ViewSkeleton } from "../views/route-view.tsx";
import { Advanced } from "./advanced.tsx";
import { Appearance } from "./appearance.tsx";
import { Application } from "./application.tsx";
import { DataPrivacy } from "./data-privacy.tsx";
import { LegalDocuments } from "./legal-documents.tsx";
import { findSection, type Section, type SectionGroup, useSections } from "./sections.ts";
import "./settings.css";

const parts: Record<string, ComponentType<object>> = {
  appearance: Appearance,
  "data-privacy": DataPrivacy,
  account: lazy(async () => (await import("./account/account-section.tsx")).AccountSection, ViewSkeleton),
  storage: lazy(async () => (await import("./storage/storage-section.tsx")).StorageSection, ViewSkeleton),
  advanced: Advanced,
  "legal-documents": LegalDocuments,
  developer: lazy(async () => (await import("./developer/developer.tsx")).Developer, ViewSkeleton),
};

const groups: SectionGroup[] = ["applications", "preferences", "system", "developer"];

/** The settings: the list of sections and the current section. Small screens show the list first. */
export function Settings({ base, section }: { base: string; section: string }) {
  const t = useT();
  const sections = useSections();
  const current = findSection(sections, section === "" ? "appearance" : section);
  if (current === undefined) return <NotFound />;
  const isIndex = section === "";
  return (
    <div class={isIndex ? "settings index" : "settings"}>
      <nav class="settings-list" aria-label={t("settings.title")}>
        <h1 class="settings-title" tabIndex={-1}>
          {t("settings.title")}
        </h1>
        {groups.map((group) => (
          <SectionList key={group} group={group} base={base} current={current} sections={sections} />
        ))}
      </nav>
      <div class="settings-detail">
        <a class="settings-back" href={`/${base}`}>
          <Icon name="arrow-left" />
          <span>{t("settings.title")}</span>
        </a>
        <h1 tabIndex={-1}>{current.title}</h1>
        <Part section={current} />
      </div>
    </div>
  );
}

function SectionList({
  group,
  base,
  current,
  sections,
}: {
  group: SectionGroup;
  base: string;
  current: Section;
  sections: Section[];
}) {
  const t = useT();
  const groupSections = sections.filter((section) => section.group === group);
  if (groupSections.length === 0) return null;
  return (
    <>
      <h2 class="settings-group">{t(`settings.group.${group}` as MessageKey)}</h2>
      <ul>
        {groupSections.map(({ id, title, icon }) => (
          <li key={id}>
            <a class="nav-link" href={`/${base}/${id}`} aria-current={id === current.id ? "page" : undefined}>
              <Icon name={icon} />
              <span class="nav-text" dir="auto">
                {title}
              </span>
              <Icon name="chevron-right" />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Part({ section }: { section: Section }) {
  if (section.group === "applications") return <Application path={section.id.slice(APP_SECTION_PREFIX.length)} />;
  const SectionView = parts[section.id];
  return SectionView === undefined ? null : <SectionView />;
}
