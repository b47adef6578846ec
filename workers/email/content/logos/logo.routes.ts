import { brandingSchema, logoQuery } from "../../../../schemas/email/content/branding";
import { actorOf } from "../../../kit/audit/audit";
import { IMAGE_TYPES } from "../../../kit/files/image";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { EmailService } from "../../http";
import { removeLogo } from "../branding/branding";
import { presentBranding } from "../branding/branding.present";
import { limitUploads, readLogo, readScheme, storeLogo } from "./logo";

const common = {
  path: "/api/v1/branding/logo",
  tags: ["Branding"],
  role: "owner",
  query: logoQuery,
} as const;

/** `/api/v1/branding/logo`: upload and remove the logo of a company. */
export function mountLogos({ call }: EmailService): void {
  call(
    {
      ...common,
      method: "put",
      summary: "Upload the logo for light or dark backgrounds: a PNG, JPEG or WebP image of at most 262,144 bytes",
      input: ({ query }) => readScheme(query),
      limit: ({ services, scope: companyId }) => limitUploads(services, companyId),
      file: { types: IMAGE_TYPES },
      responses: {
        200: jsonResponse(brandingSchema, "The branding with the `logo_url` or `logo_dark_url` of the uploaded image"),
      },
      errorCodes: ["image_invalid", "image_type_mismatch", "image_too_many_pixels", "incomplete_body", "storage_error"],
    },
    async ({ c, services, request, caller, scope: companyId, input: scheme }) => {
      const logo = await readLogo(request);
      return c.json(presentBranding(companyId, await storeLogo(services, companyId, scheme, logo, actorOf(caller))));
    },
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Remove the logo for light or dark backgrounds, uploaded or linked",
      input: ({ query }) => readScheme(query),
      responses: { 204: { description: "The company has no such logo" } },
    },
    async ({ c, services, caller, scope: companyId, input: scheme }) => {
      await removeLogo(services, companyId, scheme, actorOf(caller));
      return c.body(null, 204);
    },
  );
}
