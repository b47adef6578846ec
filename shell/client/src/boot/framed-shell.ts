/**
 * Whether the shell was put into a frame. Then it starts nothing and shows the way out: texts of no language file, since none
 * is loaded.
 */
export function takeFramed(root: HTMLElement): boolean {
  if (window.top === window.self) return false;
  const link = document.createElement("a");
  link.href = location.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.textContent = navigator.language.startsWith("fr") ? "Ouvrir dans un nouvel onglet" : "Open in new tab";
  link.className = "framed-out";
  root.replaceChildren(link);
  return true;
}
