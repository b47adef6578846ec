import { companyLookSchema } from "../../../../schemas/email/content/branding";
import { emailErrors } from "../../../../schemas/email/errors";
import { companyQuery } from "../../../../schemas/query";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { companyScope } from "../../../kit/http/request/company-scope";
import type { EmailContext, EmailService } from "../../http";
import { Problem } from "../../problem";
import { requireServiceKey } from "../../records/clients/caller";
import { canSendFor, soleCompanyOf } from "../../records/clients/service-client";
import { readBranding } from "../branding/branding";
import { storedLogoOf } from "./logo-file";

/** `/api/v1/branding/page`: the colour and the stored logo that pages of other services show, for service keys. */
export function mountPageLook(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/branding/page",
      tags: ["Branding"],
      security: [{ bearerAuth: [] }],
      summary: "Get the colour and the stored logo of a company for a page, with a service key",
      describe: () => ({
        request: { query: companyQuery.unwrap() },
        responses: {
          200: jsonResponse(companyLookSchema, "The look of the company; empty texts when nothing is set"),
          ...problemResponses(emailErrors, [
            "validation_failed",
            "unauthorized",
            "company_mismatch",
            "rate_limited",
            "service_unavailable",
          ]),
        },
      }),
    },
    showPageLook,
  );
}

async function showPageLook(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const client = await requireServiceKey(c.req.raw, services);
  const token = soleCompanyOf(client);
  const companyId = companyScope({ query: c.req.query("company_id"), ...(token === null ? {} : { token }) });
  if (!canSendFor(client, companyId)) throw new Problem("company_mismatch");
  const { primary_color = "", logo_url = "", logo_dark_url = "" } = (await readBranding(services, companyId)) ?? {};
  const storedOf = (url: string) => storedLogoOf(services.settings, url);
  const logos = { logo_url: storedOf(logo_url), logo_dark_url: storedOf(logo_dark_url) };
  return c.json({ company_id: companyId, primary_color, ...logos });
}
