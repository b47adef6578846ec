import { type PageData, pageElementId } from "../../../../schemas/shell/page.ts";
import { baseOf, chooseLanguage } from "../i18n/tags.ts";

// The boot script asks each folder of the address for this script when the entry cannot be loaded. Only a build that is served
// under a subfolder has it there, so a lost connection never leads to this message. Texts of no language file, since none is loaded.

const texts = {
  en: {
    title: "This page needs the root of its origin",
    text: "It is served under {folder}, where it does not find its scripts. Serve it at the root of an origin, such as https://app.example.com/.",
  },
  fr: {
    title: "Cette page a besoin de la racine de son origine",
    text: "Elle est servie sous {folder}, où elle ne trouve pas ses scripts. Servez-la à la racine d’une origine, par exemple https://app.example.com/.",
  },
};

/** Explains the page in the language that the shell would have been shown in. */
function explain(folder: string): void {
  const { config } = JSON.parse(document.getElementById(pageElementId)?.textContent ?? "{}") as PageData;
  const language = baseOf(chooseLanguage(navigator.languages, config.language)) === "fr" ? "fr" : "en";
  const { title, text } = texts[language];
  const heading = document.createElement("h1");
  heading.textContent = title;
  const paragraph = document.createElement("p");
  paragraph.textContent = text.replace("{folder}", () => folder);
  const notice = document.createElement("div");
  notice.role = "alert";
  notice.style.cssText = "display:grid;gap:8px;max-width:560px;margin:0 auto;padding:48px 24px;overflow-wrap:anywhere";
  notice.append(heading, paragraph);
  const main = document.createElement("main");
  main.append(notice);
  Object.assign(document.documentElement, { lang: language, dir: "ltr" });
  document.body.replaceChildren(main);
}

explain(new URL("..", import.meta.url).pathname);
