import * as z from "zod";
import { emailErrors } from "../../../../schemas/email/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { media, problemResponses } from "../../../kit/http/openapi/responses";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import type { EmailContext, EmailService } from "../../http";
import { readWebToken } from "../web-links/web-link";
import { missingPage, webPage } from "./web-version.present";
import { findWebContent } from "./web-version.store";

const page = { content: { "text/html": media(lazySchema(() => z.string())) } };

/** `/v/{token}`: the web version of a broadcast. Mails link to it. */
export function mountWebVersion(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/v/{token}",
      tags: ["Broadcasts"],
      summary: "Show the web version of a broadcast, without values of its recipients",
      describe: () => ({
        request: { params: z.object({ token: z.string() }) },
        responses: {
          200: { description: "The mail as a page", ...page },
          404: { description: "The token is invalid, or the broadcast was deleted", ...page },
          ...problemResponses(emailErrors, ["service_unavailable"]),
        },
      }),
    },
    showWebVersion,
    { isPage: true },
  );
}

async function showWebVersion(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const { peppers } = await services.keys();
  const version = await readWebToken(peppers, c.req.param("token") ?? "");
  const content = version && (await findWebContent(services.dbOf(version.companyId), version));
  const shown = content && webPage(content, services.settings);
  return shown ?? missingPage(choosePageLanguage(c.req.header("accept-language")));
}
