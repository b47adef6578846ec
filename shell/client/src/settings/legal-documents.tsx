import { useT } from "../i18n/use-t.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { legalDocuments } from "../views/legal-names.ts";

/** The configured legal documents. */
export function LegalDocuments() {
  const t = useT();
  const configured = useStore(useShell().page).config.legalDocuments ?? {};
  return (
    <ul class="tiles">
      {legalDocuments
        .filter(({ name }) => configured[name] !== undefined)
        .map(({ path, title }) => (
          <li key={path}>
            <a class="tile" href={`/legal/${path}`}>
              <Icon name="file-text" />
              <span class="nav-text">{t(title)}</span>
              <Icon name="arrow-right" size={14} />
            </a>
          </li>
        ))}
    </ul>
  );
}
