import { bytesSchema } from "../../../../schemas/bytes";
import { logoParams } from "../../../../schemas/email/content/branding";
import { emailErrors } from "../../../../schemas/email/errors";
import { IMAGE_TYPES } from "../../../kit/files/image";
import { builtSchema, media, problemResponses } from "../../../kit/http/openapi/responses";
import type { EmailService } from "../../http";
import { serveLogo } from "./logo-file";

/** `/static/logos/{sha256}`: serve the logos that mails show. */
export function mountLogoFiles({ route }: EmailService): void {
  route(
    {
      method: "get",
      path: "/static/logos/{sha256}",
      tags: ["Branding"],
      security: [],
      summary: "Get a logo by the SHA-256 of its bytes; it never changes",
      describe: () => ({
        request: { params: builtSchema(logoParams) },
        responses: {
          200: {
            description: "The image",
            content: Object.fromEntries(IMAGE_TYPES.map((type) => [type, media(bytesSchema)])),
          },
          304: { description: "Unchanged since the ETag of If-None-Match" },
          ...problemResponses(emailErrors, ["not_found", "storage_error", "service_unavailable"]),
        },
      }),
    },
    (c) => serveLogo(c.get("services"), c.req.raw, c.req.param("sha256") ?? ""),
  );
}
