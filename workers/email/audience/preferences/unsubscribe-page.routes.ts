import * as z from "zod";
import { emailErrors } from "../../../../schemas/email/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { media, problemResponses } from "../../../kit/http/openapi/responses";
import { readBoundedText } from "../../../kit/net/bounded-text";
import type { EmailContext, EmailService } from "../../http";
import {
  readCategory,
  readScope,
  readUnsubscribeToken,
  type Unsubscribe,
  type UnsubscribeCategory,
  type UnsubscribeSource,
  undoUnsubscribe,
  unsubscribe,
  unsubscribeFromNewsletters,
} from "../unsubscribes/unsubscribe";
import { ALL_NEWSLETTERS, stateOf, type UnsubscribePage, unsubscribePage } from "./unsubscribe-page.present";

const MAX_FORM_BYTES = 4096;

const tags = ["Unsubscribe"];
const request = () => ({
  params: z.object({ token: z.string() }),
  query: z.object({ language: z.enum(["en", "fr"]).optional() }),
});
const page = { content: { "text/html": media(lazySchema(() => z.string())) } };
const unknownToken = { description: "The token is invalid", ...page };

/** `/u/{token}`: the public unsubscribe page. Mails link to it. */
export function mountUnsubscribePage(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/u/{token}",
      tags,
      summary:
        "Show the unsubscribe page: a confirmation button or the result, and the other newsletters; a GET never unsubscribes",
      describe: () => ({
        request: request(),
        responses: {
          200: { description: "Page with one button, English or French", ...page },
          404: unknownToken,
          ...problemResponses(emailErrors, ["service_unavailable"]),
        },
      }),
    },
    showConfirmation,
    { isPage: true },
  );
  service.route(
    {
      method: "post",
      path: "/u/{token}",
      tags,
      summary:
        "Unsubscribe by a button of the page or a one-click request (RFC 8058), with any or no body; or subscribe again",
      describe: () => ({
        request: request(),
        responses: {
          200: { description: "Page with the confirmation; a repeat returns the same", ...page },
          404: unknownToken,
          ...problemResponses(emailErrors, ["service_unavailable"]),
        },
      }),
    },
    submit,
    { isPage: true },
  );
}

async function showConfirmation(c: EmailContext): Promise<Response> {
  const token = await readToken(c);
  return token === null ? renderPage(c, { kind: "unknown" }) : renderState(c, token);
}

async function submit(c: EmailContext): Promise<Response> {
  const token = await readToken(c);
  if (token === null) return renderPage(c, { kind: "unknown" });
  const body = await readBoundedText(new Response(c.req.raw.body), MAX_FORM_BYTES);
  const request = readUnsubscribeBody(body, token.category);
  if (request === null) return renderState(c, token);
  const { action, category } = request;
  const services = c.get("services");
  if (category === ALL_NEWSLETTERS) {
    const scope = await unsubscribeFromNewsletters(services, token);
    // An address that left all bulk mail gets no announcements either.
    return renderPage(
      c,
      scope.categories.has("bulk") ? { kind: "done", category: "bulk", scope } : { kind: "left", scope },
    );
  }
  const target = { ...token, category };
  const scope = await (action === "undo" ? undoUnsubscribe(services, target) : unsubscribe(services, target, action));
  if (scope === null) return renderPage(c, { kind: "unknown" });
  return renderPage(c, { kind: action === "undo" ? "undone" : "done", category, scope });
}

type UnsubscribeRequest =
  | { action: UnsubscribeSource | "undo"; category: UnsubscribeCategory }
  | { action: "page"; category: typeof ALL_NEWSLETTERS };

/**
 * Returns the action in a form body and its category, or null for a category that the page does not offer. The page sends
 * `source=page` or `action=undo`, with the `category` of the button. Any other body is a one-click request for the category of the
 * link. A link for notifications offers no other category.
 */
function readUnsubscribeBody(body: string, ofLink: UnsubscribeCategory): UnsubscribeRequest | null {
  const form = new URLSearchParams(body);
  const action = form.get("action") === "undo" ? "undo" : form.get("source") === "page" ? "page" : "one_click";
  const chosen = form.get("category");
  if (action === "one_click" || chosen === null) return { action, category: ofLink };
  if (ofLink === "transactional") return null;
  if (chosen === ALL_NEWSLETTERS) return action === "page" ? { action, category: chosen } : null;
  const category = readCategory(chosen);
  return category === null || category === "transactional" ? null : { action, category };
}

async function readToken(c: EmailContext): Promise<Unsubscribe | null> {
  const { peppers } = await c.get("services").keys();
  return readUnsubscribeToken(peppers, c.req.param("token") ?? "");
}

/** Returns the page as a GET shows it. */
async function renderState(c: EmailContext, token: Unsubscribe): Promise<Response> {
  const scope = await readScope(c.get("services"), token);
  if (scope === null) return renderPage(c, { kind: "unknown" });
  return renderPage(c, { kind: stateOf(token.category, scope), category: token.category, scope });
}

const renderPage = (c: EmailContext, content: UnsubscribePage): Promise<Response> =>
  unsubscribePage(content, c.req.raw, c.get("services").settings);
