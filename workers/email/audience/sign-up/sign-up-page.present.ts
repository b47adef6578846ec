import { html } from "hono/html";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { icons } from "../../../kit/pages/icons";
import { fill, pageResponse } from "../../../kit/pages/page";
import { waitOf } from "../../../kit/pages/wait";
import type { Problem } from "../../problem";
import type { EmailSettings } from "../../settings";
import { companyPage } from "../pages/company-page";
import type { SignUpList } from "./sign-up";
import type { SignUpInput } from "./sign-up-input";
import { SIGN_UP_TEXTS } from "./sign-up-texts";
import { TURNSTILE_SCRIPT } from "./turnstile";

type PageSettings = Pick<EmailSettings, "emailPublicUrl" | "publicBaseUrl">;

/** A rejected form: the error, its HTTP status, and what was typed. */
export type RejectedForm = { problem: Problem; status: number; requestId: string; typed: SignUpInput["typed"] };

const STYLE = `.trap{position:absolute;left:-9999px}.optional{font-weight:400;color:var(--muted-foreground)}
.description{white-space:pre-line}.cf-turnstile{min-height:65px;margin:0 0 16px}h1{hyphens:auto}`;

const pathOf = ({ publicBaseUrl }: { publicBaseUrl: string }, publicKey: string): string =>
  `${publicBaseUrl}/api/v1/public/newsletters/${publicKey}`;

/** Returns the URL of the sign-up page of a newsletter. Without a language, the browser decides. */
export const signUpPageUrl = (
  settings: Pick<EmailSettings, "publicBaseUrl">,
  publicKey: string,
  language: EmailLanguage | null,
): string => pathOf(settings, publicKey) + (language === null ? "" : `?language=${language}`);

const headersOf = (language: EmailLanguage) => ({
  "content-language": language,
  vary: "Accept-Language",
  // With `no-referrer`, browsers would send the form with `Origin: null`.
  "referrer-policy": "same-origin",
});

/** Returns the sign-up page of a newsletter. `rejected` shows the errors of a form and what was typed. */
export function signUpPage(
  list: SignUpList,
  language: EmailLanguage,
  settings: PageSettings,
  rejected?: RejectedForm,
): Promise<Response> {
  const texts = SIGN_UP_TEXTS[language];
  const { newsletter } = list;
  const { name, description, public_key, turnstile_site_key: siteKey, turnstile_secret_enc: secret } = newsletter;
  const hasWidget = siteKey !== "" && secret !== null;
  const url = pathOf(settings, public_key);
  const errors: FormErrors = rejected === undefined ? {} : errorsOf(rejected, language);
  const typed = rejected?.typed ?? { email: "", firstName: "" };
  const other = language === "en" ? "fr" : "en";
  return companyPage(
    {
      language,
      title: fill(texts.title, { list: name }),
      otherLanguageUrl: `${url}?language=${other}`,
      headers: { ...headersOf(language), ...rejected?.problem.options.headers },
      status: rejected?.status ?? 200,
      formAction: `'self' ${new URL(url).origin}`,
      style: STYLE,
      ...(hasWidget ? { widget: TURNSTILE_SCRIPT } : {}),
      ...(rejected !== undefined && rejected.status >= 429
        ? { support: { code: rejected.problem.code, requestId: rejected.requestId } }
        : {}),
      body: html`${errors.page === undefined ? "" : html`<p class="banner" role="alert">${icons.alert}<span>${errors.page}</span></p>`}
${description === "" ? "" : html`<p class="description">${description}</p>`}
<form method="post" action="${url}/subscribe" novalidate><input type="hidden" name="language" value="${language}">
<div class="field"><label for="email">${texts.email}</label><input id="email" name="email" type="email" autocomplete="email"
 maxlength="254" required value="${typed.email}"${described("email", errors.email, true)}>${errorLine("email", errors.email)}</div>
<div class="field"><label for="first_name">${texts.firstName} <span class="optional">${texts.optional}</span></label>
<input id="first_name" name="first_name" autocomplete="given-name" maxlength="150" value="${typed.firstName}"${described("first_name", errors.firstName, errors.email === undefined)}>${errorLine("first_name", errors.firstName)}</div>
<div class="trap" aria-hidden="true"><label for="website">${texts.empty}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></div>
${
  hasWidget
    ? html`<div class="cf-turnstile" data-sitekey="${siteKey}" data-language="${language}" data-response-field-name="turnstile_token" data-size="flexible"><noscript><p class="help">${texts.noScript}</p></noscript></div>
`
    : ""
}<button type="submit">${texts.button}</button></form><p class="note">${texts.note}</p>`,
    },
    list,
    settings,
  );
}

/** Returns the attributes of an input with an error. `isFirst`: the page opens with the focus on it. */
const described = (id: string, error: string | undefined, isFirst: boolean) =>
  error === undefined
    ? ""
    : html` aria-invalid="true" aria-describedby="${id}-error"${isFirst ? html` autofocus` : ""}`;

const errorLine = (id: string, error: string | undefined) =>
  error === undefined ? "" : html`<p class="error" id="${id}-error">${icons.alert}<span>${error}</span></p>`;

type FormErrors = Partial<Record<"email" | "firstName" | "page", string | undefined>>;

/** Returns the texts of the errors: at a field, or for the whole page. */
function errorsOf({ problem, status }: RejectedForm, language: EmailLanguage): FormErrors {
  const texts = SIGN_UP_TEXTS[language];
  const { field_errors: fields = {}, headers = {} } = problem.options;
  if (problem.code === "validation_failed") {
    const email = fields.email?.includes("required") ? texts.emailRequired : texts.emailInvalid;
    return {
      email: fields.email === undefined ? undefined : email,
      firstName: fields.first_name === undefined ? undefined : texts.nameInvalid,
      page: fields.email === undefined && fields.first_name === undefined ? texts.invalid : undefined,
    };
  }
  if (problem.code === "turnstile_failed") return { page: texts.turnstile };
  if (problem.code === "origin_not_allowed") return { page: texts.notAllowed };
  if (status === 429) return { page: fill(texts.tooMany, { wait: waitOf(headers, language) }) };
  return { page: status < 500 ? texts.invalid : texts.unavailable };
}

/** Returns the page after a sign-up. It is the same for every address. */
export function sentPage(
  list: SignUpList,
  language: EmailLanguage,
  settings: PageSettings,
  address: string,
): Promise<Response> {
  const texts = SIGN_UP_TEXTS[language];
  const url = signUpPageUrl(settings, list.newsletter.public_key, language);
  return companyPage(
    {
      language,
      title: texts.sentTitle,
      headers: headersOf(language),
      state: { icon: "mail", tone: "success" },
      body: html`<p>${fill(texts.sent, { address })}</p><p class="note">${texts.sentNote}</p>
<p class="ways"><a class="way" href="${url}">${texts.back}</a></p>`,
    },
    list,
    settings,
  );
}

/** Returns the 404 page of an unknown newsletter. */
export function unknownListPage(language: EmailLanguage): Promise<Response> {
  const texts = SIGN_UP_TEXTS[language];
  return pageResponse({
    language,
    title: texts.unknownTitle,
    headers: headersOf(language),
    status: 404,
    state: { icon: "alert", tone: "danger" },
    body: html`<p>${texts.unknown}</p>`,
  });
}

/** Returns the HTML of a sign-up form to paste into another site. It has no style and no inline script. */
export function signUpForm({ newsletter }: SignUpList, language: EmailLanguage, settings: PageSettings): string {
  const texts = SIGN_UP_TEXTS[language];
  const { id, public_key, turnstile_site_key: siteKey, turnstile_secret_enc: secret } = newsletter;
  const prefix = `newsletter-${id}`;
  const widget = html`  <div class="cf-turnstile" data-sitekey="${siteKey}" data-response-field-name="turnstile_token"></div>
  <script src="${TURNSTILE_SCRIPT}" async defer></script>
`;
  return String(html`<form action="${pathOf(settings, public_key)}/subscribe" method="post" accept-charset="utf-8" lang="${language}">
  <p>
    <label for="${prefix}-email">${texts.email}</label>
    <input id="${prefix}-email" name="email" type="email" autocomplete="email" maxlength="254" required>
  </p>
  <p>
    <label for="${prefix}-name">${texts.firstName} ${texts.optional}</label>
    <input id="${prefix}-name" name="first_name" autocomplete="given-name" maxlength="150">
  </p>
  <p hidden>
    <label for="${prefix}-website">${texts.empty}</label>
    <input id="${prefix}-website" name="website" tabindex="-1" autocomplete="off">
  </p>
  <input type="hidden" name="language" value="${language}">
${siteKey !== "" && secret !== null ? widget : ""}  <p><button type="submit">${texts.button}</button></p>
</form>
`);
}
