import { html, raw } from "hono/html";
import { bytesToBase64, utf8ToBytes } from "../crypto/encoding";
import { sha256 } from "../crypto/hash";
import type { PageLanguage } from "../http/request/page-language";
import { type Icon, icons } from "./icons";
import { PAGE_STYLE } from "./style";

/** A page that a person sees. */
export type Page = {
  language: PageLanguage;
  title: string;
  /** what stands under the heading, made by `html` */
  body: unknown;
  /** the heading, a sentence without its full stop; without one it is the title */
  heading?: string;
  /** name of the company, above a heading that does not say it; empty: unknown */
  brand?: string;
  /** the state that the page tells of, shown above the heading; its words are the heading */
  state?: { icon: Icon; tone: "danger" | "success" | "warning" };
  /** what support asks for; `code` is an error code */
  support?: { code: string; requestId: string };
  status?: number;
  /** where forms of the page may lead, redirects behind them included; without it there is no form */
  formAction?: string;
  /** a script of the page; it works without */
  script?: string;
  headers?: Record<string, string>;
};

const hashOf = async (text: string) => `'sha256-${bytesToBase64(await sha256(utf8ToBytes(text)))}'`;

/** The policy of a page: its own style and script by their hashes, an icon that is in it, and nothing else. */
async function policyOf({ formAction = "'none'", script }: Page): Promise<string> {
  return (
    `default-src 'none'; style-src ${await hashOf(PAGE_STYLE)}; ` +
    (script === undefined ? "" : `script-src ${await hashOf(script)}; `) +
    `img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action ${formAction}`
  );
}

function documentOf(page: Page) {
  const { language, title, body, heading = title, brand, state, support, script } = page;
  const code = support?.code ?? "";
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${raw(PAGE_STYLE)}</style></head>
<body data-error-code="${code}"><main>${brand ? html`<p class="brand">${brand}</p>` : ""}
${state ? html`<p class="state ${state.tone}">${icons[state.icon]}</p>` : ""}<h1>${heading.replace(/\.$/, "")}</h1>
${body}${support ? html`<p class="support">${code}<br>${support.requestId}</p>` : ""}</main>${
    script === undefined ? "" : html`<script>${raw(script)}</script>`
  }</body></html>`;
}

/** The answer that a page is: kept by nobody, listed by no search engine, telling no address on. */
export async function pageResponse(page: Page): Promise<Response> {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "content-security-policy": await policyOf(page),
    ...page.headers,
  };
  return new Response(String(await documentOf(page)), { status: page.status ?? 200, headers });
}

/** `'self'` and wherever a redirect behind a form may lead: some browsers apply the rule to each of them. */
export function formActionTo(target: { isHttp: boolean }): string {
  return `'self' https:${target.isHttp ? " http:" : ""}`;
}

/** The text with each `{name}` replaced by its value. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
