import type { Picture } from "./draw.ts";

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const STYLE = `body{margin:0;font:13px/1.5 system-ui,sans-serif;background:#8b8b90;color:#fff}
header{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:8px 24px;padding:12px 16px;background:#2b2b30}
header label{display:flex;gap:4px;align-items:center}h2{margin:24px 16px 8px;font-size:20px}h3{margin:16px 16px 8px;font-size:14px;font-weight:500}
.row{display:flex;flex-wrap:wrap;gap:16px;align-items:start;padding:0 16px}figure{margin:0}figcaption{font-size:12px}
img{display:block;box-shadow:0 1px 6px #0006}[data-width="375"] img{width:250px}[data-width="768"] img{width:340px}[data-width="1440"] img{width:560px}
[hidden]{display:none!important}`;

const SCRIPT = `const boxes = [...document.querySelectorAll("header input[type=checkbox]")];
const search = document.querySelector("input[type=search]");
const update = () => {
  const shown = Object.groupBy(boxes.filter(({ checked }) => checked), ({ name }) => name);
  const isShown = (figure, name) => (shown[name] ?? []).some(({ value }) => value === figure.dataset[name]);
  for (const figure of document.querySelectorAll("figure")) figure.hidden = !["width", "scheme", "language"].every((name) => isShown(figure, name));
  for (const section of document.querySelectorAll("section section"))
    section.hidden = !section.dataset.name.includes(search.value.toLowerCase()) || section.querySelector("figure:not([hidden])") === null;
};
document.querySelector("header").addEventListener("input", update);`;

const figure = ({ name, file, width, scheme, language }: Picture) =>
  `<figure data-width="${width}" data-scheme="${scheme}" data-language="${language}"><figcaption>${width} px, ${scheme}, ${language}</figcaption><a href="${escaped(file)}"><img loading="lazy" src="${escaped(file)}" alt="${escaped(name)}"></a></figure>`;

/** Returns the pictures by key, in the order of their first picture. */
function groupsOf(pictures: readonly Picture[], keyOf: (picture: Picture) => string): [string, Picture[]][] {
  const groups = new Map<string, Picture[]>();
  for (const picture of pictures) groups.set(keyOf(picture), [...(groups.get(keyOf(picture)) ?? []), picture]);
  return [...groups];
}

/** Returns an HTML page that shows the pictures by group and screen, with filters by width, scheme, language and name. */
export function overviewPage(pictures: readonly Picture[]): string {
  const choices = (name: "width" | "scheme" | "language") =>
    [...new Set(pictures.map((picture) => picture[name]))]
      .map((value) => `<label><input type="checkbox" name="${name}" value="${value}" checked>${value}</label>`)
      .join("");
  const sections = groupsOf(pictures, ({ group }) => group).map(([group, inGroup]) => {
    const screens = groupsOf(inGroup, ({ name }) => name).map(
      ([name, looks]) =>
        `<section data-name="${escaped(`${group} ${name}`.toLowerCase())}"><h3>${escaped(name)}</h3><div class="row">${looks.map(figure).join("")}</div></section>`,
    );
    return `<section><h2>${escaped(group)}</h2>${screens.join("")}</section>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens</title><style>${STYLE}</style>
<header><input type="search" placeholder="Name" aria-label="Name">${choices("width")}${choices("scheme")}${choices("language")}</header>
${sections.join("\n")}<script>${SCRIPT}</script></html>`;
}
