import { brandingSchema } from "../../../../schemas/email/content/branding";
import { companyQuery } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { IMAGE_TYPES } from "../../../kit/files/image";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailService } from "../../http";
import { removeLogo } from "../branding/branding";
import { presentBranding } from "../branding/branding.present";
import { limitUploads, readLogo, storeLogo } from "./logo";

const common = {
  path: "/api/v1/branding/logo",
  tags: ["Branding"],
  role: "owner",
  query: companyQuery,
} as const;

/** `/api/v1/branding/logo`: upload and remove the logo of a company. */
export function mountLogos({ call }: EmailService): void {
  call(
    {
      ...common,
      method: "put",
      summary: "Upload the logo: a PNG, JPEG or WebP image of at most 262,144 bytes",
      limit: ({ services, scope: companyId }) => limitUploads(services, companyId),
      file: { types: IMAGE_TYPES },
      responses: { 200: jsonResponse(brandingSchema, "The branding with the `logo_url` of the uploaded image") },
      errorCodes: ["image_invalid", "image_type_mismatch", "image_too_many_pixels", "incomplete_body", "storage_error"],
    },
    async ({ c, services, request, caller, scope: companyId }) => {
      const logo = await readLogo(request);
      return c.json(presentBranding(companyId, await storeLogo(services, companyId, logo, actorOf(caller))));
    },
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Remove the logo, uploaded or linked",
      responses: { 204: { description: "The company has no logo" } },
    },
    async ({ c, services, caller, scope: companyId }) => {
      await removeLogo(services, companyId, actorOf(caller));
      return c.body(null, 204);
    },
  );
}
