import { html, raw } from "hono/html";
import { bytesToBase64, utf8ToBytes } from "../crypto/encoding";
import { sha256 } from "../crypto/hash";
import type { PageLanguage } from "../http/request/page-language";
import { type Icon, icons } from "./icons";
import { PAGE_STYLE } from "./style";

/** The contents of an HTML page. */
export type Page = {
  language: PageLanguage;
  title: string;
  /** the content under the heading, created with `html` */
  body: unknown;
  /** the heading, a sentence without a full stop; the title by default */
  heading?: string;
  /** name of the company, shown at the top with its mark; empty when it is unknown */
  brand?: string;
  /** URLs of the company's logo, shown instead of its name. If the one for dark backgrounds is "", the other has a white plate there */
  logo?: { light: string; dark: string };
  /** URL of the same page in the other language; without it the page offers no choice of language */
  otherLanguageUrl?: string | undefined;
  /** CSS that follows the shared style sheet, such as the colours of a company */
  style?: string;
  /** the state of the page as an icon above the heading; the heading describes it in words */
  state?: { icon: Icon; tone?: "danger" | "success" | "warning" };
  /** details for support; `code` is an error code. They are not shown when the error is `atField`, which the user can correct */
  support?: { code: string; requestId: string; atField?: boolean };
  status?: number;
  /** allowed targets of the page's forms, including redirects after them; without targets the page has no form */
  formAction?: string;
  /** a script; the page must also work without it */
  script?: string;
  /** URL of a widget's script; its origin may also show frames in the page */
  widget?: string;
  headers?: Record<string, string>;
};

const hashOf = async (text: string) => `'sha256-${bytesToBase64(await sha256(utf8ToBytes(text)))}'`;

/**
 * Returns the Content-Security-Policy of a page. It allows only the page's own styles and scripts, by hash, embedded images, and
 * the origins of its logo and widget.
 */
async function policyOf({ formAction = "'none'", script, style, logo, widget }: Page): Promise<string> {
  const styles = await Promise.all([PAGE_STYLE, ...(style === undefined ? [] : [style])].map(hashOf));
  const widgetOrigin = widget === undefined ? [] : [new URL(widget).origin];
  const inline = [...(logo === undefined ? [] : [LOGO_SCRIPT]), ...(script === undefined ? [] : [script])];
  const scripts = [...(await Promise.all(inline.map(hashOf))), ...widgetOrigin];
  const images = ["'self'", "data:", ...(logo === undefined ? [] : [new URL(logo.light).origin])];
  return (
    `default-src 'none'; style-src ${styles.join(" ")}; ` +
    (scripts.length === 0 ? "" : `script-src ${scripts.join(" ")}; `) +
    (widgetOrigin.length === 0 ? "" : `frame-src ${widgetOrigin.join(" ")}; `) +
    `img-src ${images.join(" ")}; base-uri 'none'; frame-ancestors 'none'; form-action ${formAction}`
  );
}

/** Shows the mark and the name instead of a logo that cannot be loaded. Without a script the browser shows the name. */
const LOGO_SCRIPT = `const i=document.querySelector(".logo"),b=i.closest(".brand"),
f=()=>b.replaceChildren(b.querySelector("template").content);if(i.complete&&!i.naturalWidth)f();else i.onerror=f`;

/** Returns the logo for the colour scheme of the browser. */
function pictureOf({ light, dark }: NonNullable<Page["logo"]>, name: string) {
  const image = html`<img class="logo${dark === "" ? " plate" : ""}" src="${light}" alt="${name}">`;
  if (dark === "") return image;
  return html`<picture><source srcset="${dark}" media="(prefers-color-scheme:dark)">${image}</picture>`;
}

/** Returns the logo, or the mark and the name of the company, or nothing when neither is known. */
function brandOf({ brand = "", logo }: Page) {
  const letter = [...brand.trim()][0]?.toUpperCase();
  const name =
    letter === undefined
      ? ""
      : html`<span class="mark" aria-hidden="true">${letter}</span><span dir="auto">${brand}</span>`;
  if (logo !== undefined) {
    return html`<p class="brand">${pictureOf(logo, brand)}<template>${name}</template></p><script>${raw(LOGO_SCRIPT)}</script>`;
  }
  return name === "" ? "" : html`<p class="brand">${name}</p>`;
}

const LANGUAGES = [
  ["en", "English"],
  ["fr", "Français"],
] as const;

/** Returns the link to the page in the other language. */
function languageLink({ language, otherLanguageUrl }: Page) {
  const other = LANGUAGES.find(([tag]) => tag !== language);
  if (otherLanguageUrl === undefined || other === undefined) return "";
  const [tag, name] = other;
  return html`<a class="language" href="${otherLanguageUrl}" lang="${tag}" hreflang="${tag}">${icons.globe}${name}</a>`;
}

const REQUEST: Record<PageLanguage, string> = { en: "Request", fr: "Requête" };

function documentOf(page: Page) {
  const { language, title, body, heading = title, state, support, script, style, widget } = page;
  const code = support?.code ?? "";
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${raw(PAGE_STYLE)}</style>${style === undefined ? "" : html`<style>${raw(style)}</style>`}${
    widget === undefined ? "" : html`<script src="${widget}" async defer></script>`
  }</head>
<body data-error-code="${code}"><header>${brandOf(page)}${languageLink(page)}</header><main>
${state ? html`<p class="state ${state.tone ?? ""}">${icons[state.icon]}</p>` : ""}<h1>${heading.replace(/\.$/, "")}</h1>
${body}${support && !support.atField ? html`<p class="support">Code ${code}<br>${REQUEST[language]} ${support.requestId}</p>` : ""}</main>${
    script === undefined ? "" : html`<script>${raw(script)}</script>`
  }</body></html>`;
}

/** Returns the response with a page. It is not cached or indexed, and its links send no referrer. */
export async function pageResponse(page: Page): Promise<Response> {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "content-security-policy": await policyOf(page),
    ...page.headers,
  };
  return new Response(String(await documentOf(page)), { status: page.status ?? 200, headers });
}

/**
 * Returns `'self'` and the schemes that a redirect after a form may lead to, because some browsers apply form-action to
 * every redirect.
 */
export function formActionTo(target: { isHttp: boolean }): string {
  return `'self' https:${target.isHttp ? " http:" : ""}`;
}

/** Replaces each `{name}` in the text by its value. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Returns the URL of the requested page in the other language, relative, so that it works under a path prefix. */
export function otherLanguageUrl(request: Request, language: PageLanguage): string {
  const query = new URL(request.url).searchParams;
  query.set("language", language === "en" ? "fr" : "en");
  return `?${query}`;
}
