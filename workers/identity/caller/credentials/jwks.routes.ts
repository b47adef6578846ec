import { jwksSchema } from "../../../../schemas/identity/company/company";
import { identityErrors } from "../../../../schemas/identity/errors";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";

/** Mounts the endpoint of the public signing keys. */
export function mountJwks(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/.well-known/jwks.json",
      summary: "Get the public signing keys, the active one first",
      tags: ["Service"],
      responses: {
        200: jsonResponse(jwksSchema, "The key set"),
        ...problemResponses(identityErrors, ["service_unavailable"]),
      },
    },
    async (c) => {
      const { verifying } = await c.get("services").keys();
      const keys = verifying.map(({ kid, n, e }) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n, e }));
      return c.json({ keys }, 200, { "cache-control": "public, max-age=900" });
    },
  );
}
