import { brandingInputSchema, brandingSchema } from "../../../../schemas/email/content/branding";
import { companyQuery } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailService } from "../../http";
import { readBranding, saveBranding } from "./branding";
import { presentBranding } from "./branding.present";
import { readBrandingChange } from "./branding-input";

const common = {
  path: "/api/v1/branding",
  tags: ["Branding"],
  role: "owner",
  query: companyQuery,
} as const;

/** `/api/v1/branding`: get and set the colour, logo, address and footer in the mails of a company. */
export function mountBranding({ call }: EmailService): void {
  const brandingResponse = jsonResponse(
    brandingSchema,
    "The branding; fields that are not set are empty, and mails use the defaults of their design",
  );
  call(
    {
      ...common,
      method: "get",
      summary: "Get colour, logo, address and footer of a company's mails",
      responses: { 200: brandingResponse },
    },
    async ({ c, services, scope: companyId }) =>
      c.json(presentBranding(companyId, await readBranding(services, companyId))),
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Set colour, logo, address and footer; missing fields keep their values, and empty fields are cleared",
      body: { schema: brandingInputSchema, read: (raw, { services }) => readBrandingChange(raw, services.settings) },
      responses: { 200: brandingResponse },
    },
    async ({ c, services, caller, scope: companyId, body }) =>
      c.json(presentBranding(companyId, await saveBranding(services, companyId, body, actorOf(caller)))),
  );
}
