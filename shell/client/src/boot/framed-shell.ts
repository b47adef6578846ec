// Inline texts, because no language file is loaded here.
const texts = {
  en: { title: "This page opens in a tab of its own", open: "Open in new tab" },
  fr: { title: "Cette page s’ouvre dans son propre onglet", open: "Ouvrir dans un nouvel onglet" },
};

/** Returns whether the shell runs inside a frame of another page. If so, shows a link that opens the shell in a tab. */
export function showFramedNotice(root: HTMLElement): boolean {
  if (window.top === window.self) return false;
  const language = navigator.language.startsWith("fr") ? "fr" : "en";
  const { title, open } = texts[language];
  const heading = document.createElement("h1");
  heading.textContent = title;
  const link = document.createElement("a");
  link.href = location.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.textContent = open;
  link.className = "button secondary";
  const notice = document.createElement("main");
  notice.className = "blank framed-out";
  notice.append(heading, link);
  document.documentElement.lang = language;
  document.title = title;
  root.replaceChildren(notice);
  return true;
}
