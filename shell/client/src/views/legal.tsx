import { useEffect, useState } from "react";
import type { LegalAddress } from "../../../../schemas/shell/page.ts";
import { baseOf } from "../i18n/tags.ts";
import { useT } from "../i18n/use-t.ts";
import { readText } from "../session/adapters/call.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Blank } from "../ui/surfaces.tsx";
import { legalDocuments } from "./legal-names.ts";
import { NotFound } from "./not-found.tsx";
import { ViewSkeleton } from "./route-view.tsx";
import "./legal.css";

/** The list of configured legal documents, or one document. */
export function Legal({ base, document }: { base: string; document: string }) {
  const { page } = useShell();
  const t = useT();
  const configured = useStore(page).config.legalDocuments ?? {};
  const available = legalDocuments.filter(({ name }) => configured[name] !== undefined);
  const selected = available.find(({ path }) => path === document);
  const address = selected && configured[selected.name];
  if (selected !== undefined && address !== undefined)
    return <LegalDocument key={selected.name} title={t(selected.title)} address={address} base={base} />;
  if (document !== "") return <NotFound />;
  if (available.length === 0)
    return (
      <Blank icon="file-text" title={t("legal.title")}>
        {t("legal.none")}
      </Blank>
    );
  return (
    <div class="view">
      <h1 tabIndex={-1}>{t("legal.title")}</h1>
      <ul class="tiles">
        {available.map(({ path, title }) => (
          <li key={path}>
            <a class="tile" href={`/${base}/${path}`}>
              <Icon name="file-text" />
              <span class="nav-text">{t(title)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function LegalDocument({ title, address, base }: { title: string; address: LegalAddress; base: string }) {
  const { language } = useShell();
  const t = useT();
  const { code } = useStore(language);
  const file = useText()(address);
  const [attempt, setAttempt] = useState(0);
  const [html, setHtml] = useState<string | null | undefined>(undefined);
  useEffect(() => {
    let isMounted = true;
    setHtml(undefined);
    const load = async () => {
      const response = await fetch(file, { credentials: "omit" });
      return response.ok ? (readText(await response.json(), "html") ?? "") : null;
    };
    void load()
      .catch(() => null)
      .then((text) => isMounted && setHtml(text));
    return () => {
      isMounted = false;
    };
  }, [file, attempt]);
  if (html === undefined) return <ViewSkeleton />;
  if (html === null)
    return (
      <Blank
        icon="wifi-off"
        title={t("load.title")}
        actions={<Button onClick={() => setAttempt(attempt + 1)}>{t("common.retry")}</Button>}
      >
        {t("legal.failed")}
      </Blank>
    );
  const inLanguage = typeof address === "string" || code in address || baseOf(code) in address;
  return (
    <article class="view legal">
      <a class="muted small back" href={`/${base}`}>
        <Icon name="arrow-left" size={14} /> {t("legal.title")}
      </a>
      <h1 tabIndex={-1}>{title}</h1>
      {inLanguage ? null : <p class="muted small">{t("legal.otherLanguage")}</p>}
      {/* Safe: the command line tool renders the HTML from Markdown and escapes HTML in it. */}
      <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
    </article>
  );
}
