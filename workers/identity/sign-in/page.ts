import { html, raw } from "hono/html";
import { bytesToBase64, utf8ToBytes } from "../../kit/crypto/encoding";
import { sha256 } from "../../kit/crypto/hash";
import { choosePageLanguage, type PageLanguage } from "../../kit/http/request/page-language";

const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;background:#f3f4f6;color:#111827}
main{box-sizing:border-box;width:min(26rem,calc(100% - 2rem));margin:1rem 0;padding:2rem;background:#fff;border-radius:12px;
border:1px solid #e5e7eb}h1{margin:0 0 .75rem;font-size:1.35rem;line-height:1.3;overflow-wrap:anywhere}p{margin:0 0 1.25rem;overflow-wrap:anywhere}
form{margin:0}label{display:block;margin:0 0 .375rem;font-weight:600}
input{box-sizing:border-box;width:100%;margin:0 0 .75rem;padding:.75rem 1rem;border:1px solid #6b7280;border-radius:8px;background:#fff;
color:inherit;font:inherit}
button,a.button{display:block;box-sizing:border-box;width:100%;padding:.75rem 1rem;border:0;border-radius:8px;background:#1d4ed8;
color:#fff;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
a.quiet{margin:0 0 .75rem;padding:.6875rem 1rem;border:1px solid #6b7280;background:transparent;color:inherit;overflow-wrap:anywhere}
.or{display:flex;align-items:center;gap:.75rem;margin:1.25rem 0;font-size:.875rem;color:#4b5563}
.or::before,.or::after{content:"";flex:1;border-top:1px solid #d1d5db}
button:focus-visible,a:focus-visible,input:focus-visible{outline:3px solid #2563eb;outline-offset:2px}
.note{margin:1.25rem 0 0;font-size:.875rem;color:#4b5563}
@media(prefers-color-scheme:dark){body{background:#0b0f19;color:#f3f4f6}main{background:#111827;border-color:#374151}
.note,.or{color:#9ca3af}button:focus-visible,a:focus-visible,input:focus-visible{outline-color:#93c5fd}input{background:#0b0f19;border-color:#6b7280}.or::before,.or::after{border-color:#374151}}`;

/** The policy of a page; `formAction` names where its form may lead, redirects after it included. */
async function pagePolicy(formAction: string): Promise<string> {
  const hash = bytesToBase64(await sha256(utf8ToBytes(STYLE)));
  return (
    `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; ` +
    `frame-ancestors 'none'; form-action ${formAction}`
  );
}

/** Headers of every page of identity. */
export async function pageHeaders(formAction: string): Promise<Record<string, string>> {
  return {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "content-security-policy": await pagePolicy(formAction),
  };
}

/** The text with each `{name}` replaced by its value. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** A whole page; `code` is the error code, empty when there is none. */
export function page(language: PageLanguage, title: string, code: string, body: unknown) {
  return html`<!doctype html>
<html lang="${language}" dir="ltr"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${raw(STYLE)}</style></head>
<body data-error-code="${code}"><main>${body}</main></body></html>`;
}

/** The language of a page: a stored one, else by `Accept-Language`. */
export function pageLanguage(stored: string | null, acceptLanguage: string | null | undefined): PageLanguage {
  return stored === "en" || stored === "fr" ? stored : choosePageLanguage(acceptLanguage ?? undefined);
}
