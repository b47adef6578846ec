import * as z from "zod";
import { identityErrors } from "../../../../schemas/identity/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { problemResponses } from "../../../kit/http/openapi/responses";
import { isForm, mediaTypeOf, readForm } from "../../../kit/http/request/form";
import { requestLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { otherLanguageUrl } from "../../../kit/pages/page";
import { limitByIp, runConcurrentlyWithLimit } from "../../caller/client/limits";
import { readPageLook } from "../../company/page-look/page-look";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import { asProblem, statusOf } from "../completion/page-answer";
import { endSession, isSessionOpen, readSessionToEnd } from "./session-end";
import { endRefusedPage, endSessionPage, sessionEndedPage } from "./session-end.present";

const PATH = "/api/v1/session-end";
const MAX_TOKEN_LENGTH = 128;
const query = lazySchema(() => z.object({ token: z.string().optional(), language: z.enum(["en", "fr"]).optional() }));
const form = lazySchema(() => z.object({ token: z.string() }).meta({ examples: [{ token: "0190f2b4…" }] }));

/** Mounts the confirmation page that the link in a new-device mail opens. Its button ends the session. */
export function mountSessionEnd(service: IdentityService): void {
  const refusals = ["validation_failed", "not_found", "rate_limited", "service_unavailable"];
  const pageResponses = (...more: string[]) => ({
    200: { description: "HTML page", content: { "text/html": { schema: z.string() } } },
    ...problemResponses(identityErrors, [...refusals, ...more]),
  });
  const common = { path: PATH, tags: ["Session"] };
  service.route(
    {
      ...common,
      method: "get",
      summary: "Show the page of the link in a new-device mail; does not revoke the session",
      describe: () => ({ request: { query: query.unwrap() }, responses: pageResponses() }),
    },
    (c) => respond(c, async () => c.req.query("token"), false),
    { isPage: true },
  );
  service.route(
    {
      ...common,
      method: "post",
      summary: "Revoke the session of that link with the form of the page",
      describe: () => ({
        request: {
          body: { required: true, content: { "application/x-www-form-urlencoded": { schema: form.unwrap() } } },
        },
        responses: pageResponses("payload_too_large", "unsupported_media_type"),
      }),
    },
    (c) => respond(c, () => readFormToken(c.req.raw), true),
    { isPage: true },
  );
}

async function readFormToken(request: Request): Promise<string | undefined> {
  if (!isForm(mediaTypeOf(request))) throw new Problem("unsupported_media_type");
  return (await readForm(request)).get("token") ?? undefined;
}

/**
 * Responds with a page, or with a JSON error if the client does not accept HTML. The form needs no CSRF check, because its
 * token authorizes it, and another site cannot know the token.
 */
async function respond(
  c: IdentityContext,
  readToken: () => Promise<string | undefined>,
  isEnding: boolean,
): Promise<Response> {
  const services = c.get("services");
  try {
    const limit = limitByIp(services, c.req.raw, "session-end", services.settings.rates.verify);
    const { token, row } = await runConcurrentlyWithLimit(limit, async () => {
      const token = (await readToken()) ?? "";
      return { token, row: token.length > MAX_TOKEN_LENGTH ? null : await readSessionToEnd(services, token) };
    });
    if (row === null) throw new Problem("not_found");
    const language = requestLanguage(c.req.raw, row.language);
    const isOpen = isSessionOpen(services, row);
    const now = services.clock.now();
    if (isOpen && isEnding) await endSession(services, row);
    const look = await readPageLook(services, row.company_id);
    const otherUrl = otherLanguageUrl(c.req.raw, language);
    return isOpen && !isEnding
      ? await endSessionPage(language, otherUrl, row, { token, now, look })
      : await sessionEndedPage(language, otherUrl, row, look);
  } catch (error) {
    if (!wantsHtml(c.req.raw)) throw error;
    const problem = asProblem(services, error);
    const support = { code: problem.code, requestId: services.requestId };
    const language = requestLanguage(c.req.raw);
    const refusal = {
      status: statusOf(problem),
      headers: problem.options.headers ?? {},
      support,
      otherLanguageUrl: isEnding ? undefined : otherLanguageUrl(c.req.raw, language),
    };
    return endRefusedPage(language, refusal);
  }
}
