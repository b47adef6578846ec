import { html } from "hono/html";
import { type PageLanguage, requestLanguage } from "../../kit/http/request/page-language";
import type { Icon } from "../../kit/pages/icons";
import { fill, otherLanguageUrl, pageResponse } from "../../kit/pages/page";

type PageText = { title: string; text: string; help: string };
type PageKind = "unknown" | "missing" | "visit" | "visit_link" | "method" | "unavailable";

const statuses: Readonly<Record<PageKind, number>> = {
  unknown: 404,
  missing: 404,
  visit: 401,
  visit_link: 401,
  method: 405,
  unavailable: 503,
};

const codes: Readonly<Record<PageKind, string>> = {
  unknown: "app_not_found",
  missing: "page_not_found",
  visit: "visit_required",
  visit_link: "visit_link_invalid",
  method: "method_not_allowed",
  unavailable: "service_unavailable",
};

const iconOf = (kind: PageKind): Icon => (kind === "unavailable" ? "clock" : "alert");

const texts: Readonly<Record<PageLanguage, Record<PageKind, PageText>>> = {
  en: {
    unknown: {
      title: "No app at this address",
      text: "{host} has no published app. It may not be deployed yet, it may have been removed, or a preview may have expired.",
      help: "Check the address, or ask the person who sent you the link for a new one.",
    },
    missing: {
      title: "No page at this address",
      text: "The app at {host} has no page with this path.",
      help: "Check the address, or go to the start page.",
    },
    visit: {
      title: "Only members can open this deployment",
      text: "{host} shows a single deployment to members of its company.",
      help: "Members open it with “platform open {id}”. A visit lasts one hour.",
    },
    visit_link: {
      title: "This link no longer works",
      text: "A link to a deployment works once and for a few minutes.",
      help: "Open the deployment again with “platform open {id}”.",
    },
    method: {
      title: "This address only shows files",
      text: "The request tried to change something at {host}, and nothing was changed.",
      help: "Go back and reload the page.",
    },
    unavailable: {
      title: "The app cannot be shown right now",
      text: "The files of {host} could not be read. Nothing was lost.",
      help: "Reload the page in a minute.",
    },
  },
  fr: {
    unknown: {
      title: "Aucune application à cette adresse",
      text: "{host} n’a pas d’application publiée. Elle n’est peut-être pas encore déployée, elle a pu être supprimée, ou son aperçu a pu expirer.",
      help: "Vérifiez l’adresse, ou demandez un nouveau lien à la personne qui vous l’a envoyé.",
    },
    missing: {
      title: "Aucune page à cette adresse",
      text: "L’application {host} n’a pas de page à ce chemin.",
      help: "Vérifiez l’adresse, ou allez à la page d’accueil.",
    },
    visit: {
      title: "Seuls les membres peuvent ouvrir ce déploiement",
      text: "{host} montre un déploiement précis aux membres de son entreprise.",
      help: "Les membres l’ouvrent avec la commande « platform open {id} ». Une visite dure une heure.",
    },
    visit_link: {
      title: "Ce lien ne fonctionne plus",
      text: "Le lien vers un déploiement sert une seule fois, pendant quelques minutes.",
      help: "Ouvrez de nouveau le déploiement avec la commande « platform open {id} ».",
    },
    method: {
      title: "Cette adresse ne fait que montrer des fichiers",
      text: "La requête voulait modifier quelque chose sur {host}. Rien n’a été modifié.",
      help: "Revenez en arrière et rechargez la page.",
    },
    unavailable: {
      title: "L’application ne peut pas être affichée pour le moment",
      text: "Les fichiers de {host} n’ont pas pu être lus. Rien n’a été perdu.",
      help: "Rechargez la page dans une minute.",
    },
  },
};

const startPage: Readonly<Record<PageLanguage, string>> = {
  en: "Go to the start page",
  fr: "Aller à la page d’accueil",
};

/** Returns a page of the platform on the host of an app: English or French, never cached. */
export async function appPage(
  kind: PageKind,
  request: Request,
  requestId: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const language = requestLanguage(request);
  const { title, text, help } = texts[language][kind];
  const { hostname } = new URL(request.url);
  const values = { host: hostname, id: deploymentOf(hostname) };
  const page = await pageResponse({
    language,
    // A link cannot repeat a request that would change something.
    otherLanguageUrl: kind === "method" ? undefined : otherLanguageUrl(request, language),
    title,
    status: statuses[kind],
    state: { icon: iconOf(kind), tone: "warning" },
    support: { code: codes[kind], requestId },
    headers: { vary: "Accept-Language", ...(kind === "unavailable" ? { "retry-after": "5" } : {}), ...headers },
    body: html`<p>${fill(text, values)}</p><p>${fill(help, values)}</p>${
      kind === "missing" ? html`<a class="button" href="/">${startPage[language]}</a>` : ""
    }`,
  });
  // The pages change nothing, so a shell may frame them and people see why an app is missing.
  const policy = page.headers.get("content-security-policy") ?? "";
  page.headers.set("content-security-policy", policy.replace(/;? *frame-ancestors [^;]*/u, ""));
  return request.method === "HEAD" ? new Response(null, page) : page;
}

/** Returns the first characters of the id of the deployment that the host shows, or an empty text on other hosts. */
const deploymentOf = (hostname: string): string => /--([0-9a-f]{8})\./u.exec(hostname)?.[1] ?? "";
