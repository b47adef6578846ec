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
  /** name of the company, shown above the heading; empty when it is unknown or the heading contains it */
  brand?: string;
  /** the state of the page as an icon above the heading; the heading describes it in words */
  state?: { icon: Icon; tone: "danger" | "success" | "warning" };
  /** details for support; `code` is an error code */
  support?: { code: string; requestId: string };
  status?: number;
  /** allowed targets of the page's forms, including redirects after them; without targets the page has no form */
  formAction?: string;
  /** a script; the page must also work without it */
  script?: string;
  headers?: Record<string, string>;
};

const hashOf = async (text: string) => `'sha256-${bytesToBase64(await sha256(utf8ToBytes(text)))}'`;

/**
 * Returns the Content-Security-Policy of a page. It allows only the page's own style and script, by hash, and embedded
 * images.
 */
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

/** Returns the response with a page. It is not cached or indexed, and its links send no referrer. */
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
