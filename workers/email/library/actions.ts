import type { CatalogEvent } from "../../../schemas/email/catalog";
import type { EmailLanguage } from "../../../schemas/email/catalog-texts";
import type { DocumentNode } from "../render/document";
import { linked, paragraph } from "./barebone";
import { actionLabel, FRAME_WORDS } from "./words";

/**
 * What the URL variables of an event besides its main link lead to: a button for the first where there is no main link,
 * since a mail has one action, and a link for each other. One without value is left out.
 */
export function actionNodes({ variables, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const tokens = variables.flatMap(({ type, token }) => (type === "url" && token !== link_token ? [token] : []));
  const main = link_token === "" ? tokens.slice(0, 1) : [];
  return [
    ...main.flatMap((token) => buttonNodes(token, language)),
    ...tokens
      .slice(main.length)
      .map((token) => linked(actionLabel(token, language), `{{ ${token} }}`, { when: token })),
  ];
}

/** The button and, below it, the bare link for readers that show no button. */
function buttonNodes(token: string, language: EmailLanguage): DocumentNode[] {
  const href = `{{ ${token} }}`;
  return [
    { type: "button", attrs: { href, when: token }, content: [{ type: "text", text: actionLabel(token, language) }] },
    paragraph(FRAME_WORDS[language].address, { class: "muted html-only", when: token }),
    linked(href, href, { class: "address html-only", when: token }),
  ];
}
