import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import type { PageLook } from "../../../kit/pages/company-look";
import { icons } from "../../../kit/pages/icons";
import { fill, formActionTo, pageResponse } from "../../../kit/pages/page";
import { describeWait } from "../../../kit/pages/wait";

/** Seconds until the page offers another mail. The rate limits apply in any case. */
const RESEND_SECONDS = 30;

type Texts = Record<
  | ("title" | "sentBoth" | "sentLink" | "label" | "signIn" | "again" | "againIn" | "other" | "note" | "sentAgain")
  | ("missing" | "wrong" | "expired" | "exhausted" | "tooManyTries" | "tooManyMails" | "unavailable"),
  string
>;

/**
 * The texts of the page. The server fills in `{address}`, `{lifetime}` and `{wait}`. The script of the page fills in
 * `{time}`.
 */
export const CODE_TEXTS: Record<PageLanguage, Texts> = {
  en: {
    title: "Check your inbox",
    sentBoth: "We sent a link and a code to {address}.",
    sentLink: "We sent a link to {address}.",
    label: "Sign-in code",
    signIn: "Sign in",
    again: "Send again",
    againIn: "Send again in {time}",
    other: "Use another address",
    note: "The link works for {lifetime}. If nothing arrives, look in your spam folder.",
    sentAgain: "Another mail is on its way.",
    missing: "Type the code of the mail.",
    wrong: "This code is incorrect. Compare it with the newest mail.",
    expired: "This code has expired. Send another mail to get a new one.",
    exhausted: "Five codes were wrong, so this one no longer works. Open the link of the mail, or send another mail.",
    tooManyTries: "Too many attempts. Nothing is lost: try again in {wait}.",
    tooManyMails: "You requested too many mails. The last one still works. You can request another in {wait}.",
    unavailable: "Sign-in does not work right now. Nothing is lost: try again in a moment.",
  },
  fr: {
    title: "Consultez votre messagerie",
    sentBoth: "Nous avons envoyé un lien et un code à {address}.",
    sentLink: "Nous avons envoyé un lien à {address}.",
    label: "Code de connexion",
    signIn: "Se connecter",
    again: "Renvoyer",
    againIn: "Renvoyer dans {time}",
    other: "Utiliser une autre adresse",
    note: "Le lien est valable {lifetime}. Si vous ne recevez rien, consultez vos courriers indésirables.",
    sentAgain: "Un autre e-mail est en route.",
    missing: "Saisissez le code reçu par e-mail.",
    wrong: "Ce code n’est pas le bon. Comparez-le avec le dernier e-mail reçu.",
    expired: "Ce code a expiré. Renvoyez un e-mail pour en recevoir un nouveau.",
    exhausted:
      "Cinq codes étaient faux, celui-ci ne fonctionne donc plus. Ouvrez le lien reçu par e-mail ou renvoyez un e-mail.",
    tooManyTries: "Trop de tentatives. Rien n’est perdu\u00a0: réessayez dans {wait}.",
    tooManyMails:
      "Trop d’e-mails ont été demandés. Le dernier reste valable\u00a0; vous pourrez en renvoyer un dans {wait}.",
    unavailable: "La connexion est momentanément indisponible. Rien n’est perdu\u00a0: réessayez dans un instant.",
  },
};

/**
 * Disables the resend button and shows a countdown on it; groups the code while it is typed, takes a code that is pasted
 * anywhere, and submits it when it is complete. Without a script the buttons do the same, and the rate limits still apply.
 */
const SCRIPT = `const c=document.getElementById("code");let last="";
if(c)c.oninput=()=>{const p=c.value.toUpperCase().replace(/[^0-9A-Z]/g,"").slice(0,8);
if(c.selectionStart===c.value.length)c.value=p.replace(/(.{4})(?=.)/g,"$1-");
if(p.length===8&&p!==last){last=p;c.form.requestSubmit()}};
if(c)document.onpaste=e=>{const t=e.clipboardData.getData("text").toUpperCase(),
p=(/\\b[0-9A-Z]{4}-[0-9A-Z]{4}\\b/.exec(t)?.[0]??t).replace(/[^0-9A-Z]/g,"");
if(p.length===8&&!/[AEIOU]/.test(p)){e.preventDefault();c.value=p;c.oninput()}};
for(const b of document.querySelectorAll("button[data-wait]")){
const text=b.textContent,end=Date.now()+b.dataset.wait*1000;
const show=()=>{const s=Math.ceil((end-Date.now())/1000);b.disabled=s>0;
b.textContent=s>0?b.dataset.text.replace("{time}",Math.floor(s/60)+":"+String(s%60).padStart(2,"0")):text;
if(s>0)setTimeout(show,250)};show()}`;

/**
 * The problem that the page shows: at the code field (`at: "code"`) or in a banner (`at: "page"`). `code` is the error code.
 */
export type CodePageProblem = { code: string; status: number; requestId: string } & (
  | { at: "code"; textKey: "missing" | "wrong" | "expired" | "exhausted" }
  | { at: "page"; textKey: "tooManyTries" | "tooManyMails" | "unavailable"; waitSeconds: number }
);

/**
 * The content of the page that follows a link request: the address, a field for the code, and links to continue. It is the
 * same for every address, whether it has an account or not.
 */
export type CodePage = {
  language: PageLanguage;
  company: string;
  look: PageLook;
  address: string;
  /** the code that the user typed before */
  typed: string;
  hasCode: boolean;
  /** the formatted lifetime of the mailed link and code */
  lifetime: string;
  /** hidden fields of the link request */
  hidden: [string, string][];
  paths: { verify: string; request: string; authorize: string };
  isSentAgain: boolean;
  problem: CodePageProblem | null;
  redirectIsHttp: boolean;
};

/** Renders the page. Its form signs in with the typed code. The second button of the form requests another mail. */
export function codePage(input: CodePage): Promise<Response> {
  const { language, problem, hasCode, paths } = input;
  const t = CODE_TEXTS[language];
  const wait = problem?.at === "page" ? problem.waitSeconds : 0;
  const resendWait = problem?.at === "page" && problem.textKey === "tooManyMails" ? wait : RESEND_SECONDS;
  const isDead = problem?.textKey === "expired" || problem?.textKey === "exhausted";
  // After a code was rejected, the page offers another mail at once.
  const waitAttributes = isDead || (problem?.at === "code" && problem.textKey !== "missing") ? null : resendWait;
  const [before = "", after = ""] = t[hasCode ? "sentBoth" : "sentLink"].split("{address}");
  const body = html`<p>${before}<strong>${input.address}</strong>${after}</p>
<form method="post" action="${hasCode ? paths.verify : paths.request}">
${input.hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${bannerOf(input)}${hasCode ? codeField(input) : ""}
<p class="ways"><button class="way" type="submit" name="again" value="1" formaction="${paths.request}" formnovalidate${
    waitAttributes === null ? "" : html` data-wait="${String(waitAttributes)}" data-text="${t.againIn}"`
  }>${t.again}</button>
<a class="way" href="${paths.authorize}">${t.other}</a></p></form>
<p class="note">${fill(t.note, { lifetime: input.lifetime })}</p>`;
  return pageResponse({
    language,
    title: t.title,
    brand: input.company,
    ...input.look,
    state: { icon: "mail" },
    body,
    formAction: formActionTo({ isHttp: input.redirectIsHttp }),
    script: SCRIPT,
    ...(problem ? { status: problem.status, support: { ...problem, atField: problem.at === "code" } } : {}),
    ...(wait > 0 ? { headers: { "retry-after": String(wait) } } : {}),
  });
}

function bannerOf({ language, problem, isSentAgain }: CodePage) {
  const t = CODE_TEXTS[language];
  if (isSentAgain && !problem)
    return html`<p class="banner success" role="status">${icons.check}<span>${t.sentAgain}</span></p>`;
  if (problem?.at !== "page") return "";
  const sentence = fill(t[problem.textKey], { wait: describeWait(problem.waitSeconds, language) });
  return html`<p class="banner warning" role="alert">${icons.clock}<span>${sentence}</span></p>`;
}

function codeField({ language, problem, typed }: CodePage) {
  const t = CODE_TEXTS[language];
  const error = problem?.at === "code" ? t[problem.textKey] : null;
  return html`<div class="field"><label for="code">${t.label}</label>
<input id="code" class="code" name="code" value="${typed}" maxlength="32" autocomplete="one-time-code" autocapitalize="characters"
 autocorrect="off" spellcheck="false" inputmode="text" placeholder="••••-••••" required autofocus${
   error ? html` aria-invalid="true" aria-describedby="code-error"` : ""
 }>
${error ? html`<p class="error" id="code-error" role="alert">${icons.alert}<span>${error}</span></p>` : ""}</div>
<button type="submit">${t.signIn}</button>`;
}
