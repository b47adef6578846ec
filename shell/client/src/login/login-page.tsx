import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { Brand } from "../layouts/brand.tsx";
import { useShell } from "../shell/context.ts";
import { shellTitle } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { legalDocuments } from "../views/legal-names.ts";
import { LanguageChoice } from "./language-choice.tsx";
import "./login.css";

/** The page around every sign-in step: the brand, one column, and on wide screens the configured panel. */
export function LoginPage({ children, step }: { children: ComponentChildren; step: string }) {
  const { page } = useShell();
  const { config } = useStore(page);
  const main = useRef<HTMLElement>(null);
  const last = useRef(step);
  // Each step except the first takes the focus, so that screen readers continue there.
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    const target = main.current?.querySelector<HTMLElement>("[autofocus], h1[tabindex]");
    target?.focus();
  }, [step]);
  return (
    <div class="login">
      <Panel />
      <div class="login-side">
        <header>
          <Brand />
          <LanguageChoice />
        </header>
        <main ref={main} tabIndex={-1}>
          <div class="login-column">{children}</div>
        </main>
        {config.legalDocuments === undefined ? null : <LegalLinks names={Object.keys(config.legalDocuments)} />}
      </div>
    </div>
  );
}

function LegalLinks({ names }: { names: string[] }) {
  const t = useT();
  return (
    <footer>
      {legalDocuments
        .filter(({ name }) => names.includes(name))
        .map(({ name, path, title }) => (
          <a key={name} href={`/legal/${path}`}>
            {t(title)}
          </a>
        ))}
    </footer>
  );
}

/**
 * A page or image of the company. It receives nothing from the shell and has no permissions. The first paint only reserves its
 * space. A hidden panel is not loaded. A broken image leaves its space empty, so that the layout does not shift.
 */
function Panel() {
  const { page, session } = useShell();
  const t = useT();
  const { config } = useStore(page);
  const { panelUrl, panelImage } = config.backend?.login ?? {};
  const [isBroken, setBroken] = useState(false);
  if (panelUrl === undefined && panelImage === undefined) return null;
  return (
    <aside class="login-panel">
      {session === null || isBroken ? null : panelUrl === undefined ? (
        <img loading="lazy" src={panelImage} alt="" onError={() => setBroken(true)} />
      ) : (
        <iframe
          loading="lazy"
          src={panelUrl}
          title={t("login.panel", { title: shellTitle(config.title) })}
          sandbox="allow-scripts allow-same-origin"
          allow=""
          referrerpolicy="strict-origin"
          tabIndex={-1}
        />
      )}
    </aside>
  );
}
