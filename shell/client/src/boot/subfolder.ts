import { type PageData, pageElementId } from "../../../../schemas/shell/page.ts";
import { baseOf, chooseLanguage } from "../i18n/tags.ts";

// When the entry fails to load, the boot script tries to load this script from each folder of the address. One of these
// requests succeeds only if the build is served from a subfolder, so a lost connection never shows this message. Texts are
// inline because no language file is loaded.

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

/** Replaces the page with an explanation in the language that the shell would have used. */
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
