import type { PageLanguage } from "../../../kit/http/request/page-language";
import { readPageLook } from "../../company/page-look/page-look";
import { isMagicLinkEffective } from "../../company/sign-in-methods/sign-in-methods";
import type { IdentityServices } from "../../services";
import { type FormProblem, signInPage } from "../completion/sign-in-page";
import { providers } from "../oauth-providers/catalog";
import { type SignInMethods, usableClients } from "./authorize";

/** The input of the sign-in page. */
type Choice = {
  language: PageLanguage;
  otherLanguageUrl?: string | undefined;
  methods: SignInMethods;
  /** the query parameters of authorize without the provider; links and form repeat them */
  forwardedFields: [string, string][];
  switchAccount?: string;
  csrfToken: string;
  /** relative paths of authorize and of the link request */
  paths: { authorize: string; request: string };
  redirectIsHttp: boolean;
  /** a typed address that was rejected */
  typed?: { email: string; problem: FormProblem };
};

/** Returns whether users can sign in to the company by any method. */
export function hasSignInMethod(services: IdentityServices, methods: SignInMethods): boolean {
  return usableClients(methods).length > 0 || isMagicLinkEffective(services, methods.company);
}

/** Returns the page with the sign-in methods of a company. */
export async function choicePage(services: IdentityServices, choice: Choice): Promise<Response> {
  const { language, methods, forwardedFields, switchAccount, csrfToken, paths, redirectIsHttp, typed } = choice;
  const hidden: [string, string][] = [...forwardedFields, ["language", language], ["csrf_token", csrfToken]];
  // A posted form is shown again even when the company's methods could not be read.
  const hasForm = typed !== undefined || isMagicLinkEffective(services, methods.company);
  return signInPage({
    language,
    otherLanguageUrl: choice.otherLanguageUrl,
    redirectIsHttp,
    company: methods.company?.name ?? "",
    look: methods.company ? await readPageLook(services, methods.company.id) : {},
    providers: usableClients(methods).map((client) => ({
      label: client.label || providers[client.provider].label,
      href: `${paths.authorize}?${new URLSearchParams([
        ...forwardedFields,
        ["provider", client.provider_id],
        ...(switchAccount ? [["switch_account", switchAccount]] : []),
      ])}`,
    })),
    form: hasForm
      ? { action: paths.request, hidden, email: typed?.email ?? "", problem: typed?.problem ?? null }
      : null,
  });
}
