import type { PageLanguage } from "../../../kit/http/request/page-language";
import { isMagicLinkEffective } from "../../company/sign-in-methods/sign-in-methods";
import type { IdentityServices } from "../../services";
import { type FormProblem, signInPage } from "../completion/sign-in-page";
import { providers } from "../oauth-providers/catalog";
import { type SignInMethods, usableClients } from "./authorize";

/** What the page of the choice is made of besides the company's methods. */
type Choice = {
  language: PageLanguage;
  methods: SignInMethods;
  /** what the query of authorize says, but for the provider: links and form carry it on */
  carried: [string, string][];
  switchAccount?: string;
  csrfToken: string;
  /** where authorize and the link request are from here */
  paths: { authorize: string; request: string };
  redirectIsHttp: boolean;
  /** an address that was typed and could not be taken */
  typed?: { email: string; problem: FormProblem };
};

/** Whether there is any way in. */
export function hasWayIn(services: IdentityServices, methods: SignInMethods): boolean {
  return usableClients(methods).length > 0 || isMagicLinkEffective(services, methods.company);
}

/** The page with the ways into a company. */
export function choicePage(services: IdentityServices, choice: Choice): Promise<Response> {
  const { language, methods, carried, switchAccount, csrfToken, paths, redirectIsHttp, typed } = choice;
  const hidden: [string, string][] = [...carried, ["language", language], ["csrf_token", csrfToken]];
  // A form that was posted is shown again also when nothing could be read.
  const hasForm = typed !== undefined || isMagicLinkEffective(services, methods.company);
  return signInPage({
    language,
    redirectIsHttp,
    company: methods.company?.name ?? "",
    providers: usableClients(methods).map((client) => ({
      label: client.label || providers[client.provider].label,
      href: `${paths.authorize}?${new URLSearchParams([
        ...carried,
        ["provider", client.provider_id],
        ...(switchAccount ? [["switch_account", switchAccount]] : []),
      ])}`,
    })),
    form: hasForm
      ? { action: paths.request, hidden, email: typed?.email ?? "", problem: typed?.problem ?? null }
      : null,
  });
}
