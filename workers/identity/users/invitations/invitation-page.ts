import * as z from "zod";
import { identityErrors } from "../../../../schemas/identity/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { sha256Hex } from "../../../kit/crypto/hash";
import { problemResponses } from "../../../kit/http/openapi/responses";
import { requestLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { otherLanguageUrl } from "../../../kit/pages/page";
import { limitByIp, runConcurrentlyWithLimit } from "../../caller/client/limits";
import { readPageLook } from "../../company/page-look/page-look";
import { isRedirectAllowed, parseRedirect } from "../../company/redirects/redirect-target";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { asProblem, statusOf } from "../../sign-in/completion/page-answer";
import { inviterNameOf } from "./invitation.present";
import { findOpenInvitation } from "./invitation.store";
import { invitationPage, invitationRefusedPage } from "./invitation-page.present";

const PATH = "/api/v1/invitations/open";
const MAX_TOKEN_LENGTH = 128;
const query = lazySchema(() => z.object({ token: z.string().optional(), language: z.enum(["en", "fr"]).optional() }));

/** Mounts the page that the link in an invitation opens. It changes nothing and signs nobody in. */
export function mountInvitationPage(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: PATH,
      tags: ["Invitations"],
      summary: "Show the page of an invitation; does not accept it",
      describe: () => ({
        request: { query: query.unwrap() },
        responses: {
          200: { description: "HTML page", content: { "text/html": { schema: z.string() } } },
          ...problemResponses(identityErrors, ["invitation_invalid", "rate_limited", "service_unavailable"]),
        },
      }),
    },
    respond,
    { isPage: true },
  );
}

async function respond(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  try {
    const limit = limitByIp(services, c.req.raw, "oauth", services.settings.rates.oauth);
    const row = await runConcurrentlyWithLimit(limit, () => readInvitation(services, c.req.query("token") ?? ""));
    if (row === null) throw new Problem("invitation_invalid");
    const url = parseRedirect(row.app_url);
    // The allowlist may have changed since the invitation was sent.
    const isAllowed = url !== null && isRedirectAllowed(url, row.origins.includes(url.origin), services.settings.debug);
    const { company_name: company, app_url: appUrl } = row;
    const look = await readPageLook(services, row.company_id);
    const content = { company, inviterName: inviterNameOf(row), appUrl: isAllowed ? appUrl : null, look };
    const language = requestLanguage(c.req.raw, row.language);
    return await invitationPage(language, otherLanguageUrl(c.req.raw, language), content);
  } catch (error) {
    if (!wantsHtml(c.req.raw)) throw error;
    const problem = asProblem(services, error);
    const support = { code: problem.code, requestId: services.requestId };
    const language = requestLanguage(c.req.raw);
    const refusal = {
      status: statusOf(problem),
      headers: problem.options.headers ?? {},
      support,
      otherLanguageUrl: otherLanguageUrl(c.req.raw, language),
    };
    return invitationRefusedPage(language, refusal);
  }
}

async function readInvitation({ db, clock }: IdentityServices, token: string) {
  if (token === "" || token.length > MAX_TOKEN_LENGTH) return null;
  return db.first(findOpenInvitation({ tokenHash: await sha256Hex(token), now: clock.now() }));
}
