import * as z from "zod";
import { emailErrors } from "../../../../schemas/email/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { media, problemResponses } from "../../../kit/http/openapi/responses";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import { readBoundedText } from "../../../kit/net/bounded-text";
import type { EmailContext, EmailService } from "../../http";
import { readUnsubscribeBody, readUnsubscribeToken, type Unsubscribe, unsubscribe } from "./unsubscribe";
import { findUnsubscribeScope, resubscribe } from "./unsubscribe.store";
import { type UnsubscribePage, unsubscribePage } from "./unsubscribe-page.present";

const MAX_FORM_BYTES = 4096;

const tags = ["Unsubscribe"];
const request = () => ({ params: z.object({ token: z.string() }) });
const page = { content: { "text/html": media(lazySchema(() => z.string())) } };
const unknownToken = { description: "The token is invalid", ...page };

/** `/u/{token}`: the public unsubscribe page. Mails link to it. */
export function mountUnsubscribePage(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/u/{token}",
      tags,
      summary: "Show the unsubscribe page: a confirmation button, or the result; a GET never unsubscribes",
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
        "Unsubscribe by the page's button or a one-click request (RFC 8058), with any or no body; or subscribe again",
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
  if (token === null) return renderPage(c, { kind: "unknown" });
  const scope = await findUnsubscribeScope(c.get("services").dbOf(token.companyId), token);
  return renderPage(c, { kind: scope.isUnsubscribed ? "done" : "ask", category: token.category, scope });
}

async function submit(c: EmailContext): Promise<Response> {
  const token = await readToken(c);
  if (token === null) return renderPage(c, { kind: "unknown" });
  const formBody = readUnsubscribeBody(await readBoundedText(new Response(c.req.raw.body), MAX_FORM_BYTES));
  const { category } = token;
  if (formBody === "undo") {
    const db = c.get("services").dbOf(token.companyId);
    return renderPage(c, { kind: "undone", category, scope: await resubscribe(db, token) });
  }
  const scope = await unsubscribe(c.get("services"), token, formBody);
  return renderPage(c, { kind: "done", category, scope });
}

async function readToken(c: EmailContext): Promise<Unsubscribe | null> {
  const { peppers } = await c.get("services").keys();
  return readUnsubscribeToken(peppers, c.req.param("token") ?? "");
}

const renderPage = (c: EmailContext, content: UnsubscribePage): Promise<Response> =>
  unsubscribePage(content, choosePageLanguage(c.req.header("accept-language")));
