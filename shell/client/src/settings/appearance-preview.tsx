import { useT } from "../i18n/use-t.ts";

/** A small page in the current theme and density, which shows a choice where it is made. It is hidden from screen readers. */
export function AppearancePreview() {
  const t = useT();
  return (
    <div class="preview" aria-hidden="true">
      <div class="preview-side">
        <span class="brand-mark" />
        <i class="current" />
        <i />
        <i />
      </div>
      <div class="preview-page">
        <strong>{t("appearance.preview")}</strong>
        <ul>
          <li />
          <li />
          <li />
        </ul>
        <span class="button primary small">Aa</span>
      </div>
    </div>
  );
}
