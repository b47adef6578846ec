import * as z from "zod";
import { confirmationParams } from "../../../../schemas/email/audience/sign-up";
import { emailErrors } from "../../../../schemas/email/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { builtSchema, media, problemResponses } from "../../../kit/http/openapi/responses";
import type { EmailContext, EmailService } from "../../http";
import { confirmSubscription, readConfirmationLink } from "./confirm";
import { confirmationPage, expiredPage } from "./confirm-page.present";

const PATH = "/api/v1/public/newsletters/confirm/{token}";
const tags = ["Newsletter sign-up"];
const page = { content: { "text/html": media(lazySchema(() => z.string())) } };
const expired = { description: "The link is unknown, was replaced, or has expired", ...page };
const languageQuery = () => z.object({ language: z.enum(["en", "fr"]).optional() });
const errors = () => problemResponses(emailErrors, ["rate_limited", "service_unavailable"]);

/** `/api/v1/public/newsletters/confirm/{token}`: the page behind the link of a confirmation mail. */
export function mountConfirmation({ route }: EmailService): void {
  route(
    {
      method: "get",
      path: PATH,
      tags,
      security: [],
      summary: "Show the confirmation page of a subscription; a GET never confirms",
      describe: () => ({
        request: { params: builtSchema(confirmationParams), query: languageQuery() },
        responses: { 200: { description: "Page with one button, or the state", ...page }, 404: expired, ...errors() },
      }),
    },
    showPage,
    { isPage: true },
  );
  route(
    {
      method: "post",
      path: PATH,
      tags,
      security: [],
      summary: "Confirm a subscription by the button of the page; a repeat returns the same",
      describe: () => ({
        request: { params: builtSchema(confirmationParams), query: languageQuery() },
        responses: {
          200: { description: "Page: subscribed", ...page },
          302: { description: "Subscribed; to `confirmed_redirect_url` of the newsletter" },
          404: expired,
          ...errors(),
        },
      }),
    },
    confirm,
    { isPage: true },
  );
}

const readLink = (c: EmailContext) => readConfirmationLink(c.get("services"), c.req.raw, c.req.param("token") ?? "");

const showExpired = (c: EmailContext) => expiredPage(c.req.raw);

async function showPage(c: EmailContext): Promise<Response> {
  const link = await readLink(c);
  if (link === null) return showExpired(c);
  const kind = link.subscriber.status === "confirmed" ? "already" : "ask";
  return confirmationPage(link, kind, c.req.raw, c.get("services").settings);
}

async function confirm(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const link = await readLink(c);
  if (link === null || !(await confirmSubscription(services, c.req.raw, c.req.param("token") ?? "", link))) {
    return showExpired(c);
  }
  const { confirmed_redirect_url: location } = link.subscriber;
  if (location === "") return confirmationPage(link, "done", c.req.raw, services.settings);
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer" } });
}
