import type { Finding } from "../../schemas/shell/page.ts";

// The overlay that shows errors of the configuration. A script sets the styles, because the page's content security policy
// forbids inline styles. Messages are set as text, never as markup.

const tag = "platform-overlay";

const styles = `
:host { position: fixed; inset: 0; z-index: 2147483647; display: grid; place-items: center; padding: 24px;
  background: rgb(10 12 20 / 0.55); font: 14px/1.5 system-ui, sans-serif; }
section { max-width: 720px; width: 100%; max-height: 80vh; overflow: auto; padding: 20px 24px; border-radius: 10px;
  background: #14171f; color: #e8eaf0; box-shadow: 0 12px 40px rgb(0 0 0 / 0.4); }
h1 { margin: 0 0 4px; font-size: 16px; font-weight: 600; }
p { margin: 0 0 12px; color: #a9b0c0; }
ol { margin: 0; padding: 0; list-style: none; display: grid; gap: 12px; }
code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.place { color: #ffb4a8; }
.warning .place { color: #ffd479; }
button { margin-top: 16px; padding: 6px 12px; border: 1px solid #4a5164; border-radius: 6px; background: none; color: inherit;
  font: inherit; }
button:focus-visible { outline: 2px solid #8fa8ff; outline-offset: 2px; }`;

/** Shows errors over the page. Escape or the button hides them until the next edit. */
export function showOverlay(findings: Finding[]): void {
  hideOverlay();
  const host = document.createElement(tag);
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const section = make("section", "");
  section.setAttribute("role", "alertdialog");
  section.setAttribute("aria-label", "The configuration has errors");
  const list = make("ol", "");
  for (const { file, line, column, level, code, path, sentence } of findings) {
    const entry = make("li", "");
    entry.className = level;
    const position = make("code", `${file}:${line}:${column}`);
    position.className = "place";
    entry.append(position, make("div", sentence), make("code", path === "" ? code : `${code} ${path}`));
    list.append(entry);
  }
  const button = make("button", "Hide");
  button.addEventListener("click", hideOverlay);
  host.addEventListener("keydown", ({ key }) => key === "Escape" && hideOverlay());
  section.append(
    make("h1", "The configuration has errors"),
    make("p", "The page shows the last valid configuration. It updates at the next valid save."),
    list,
    button,
  );
  root.append(section);
  document.body.append(host);
  button.focus();
}

export function hideOverlay(): void {
  document.querySelector(tag)?.remove();
}

function make<Tag extends keyof HTMLElementTagNameMap>(name: Tag, text: string): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
