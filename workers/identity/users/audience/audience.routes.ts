import { audienceQuery, audienceSchema } from "../../../../schemas/identity/people/audience";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { presentAudience, readAudience, selectAudience } from "./audience";

/** Mounts the query of the users to whom a broadcast goes, for staff and owners: docs/specification/audience.md */
export function mountAudience({ call }: IdentityService): void {
  call(
    {
      method: "get",
      path: "/api/v1/users/audience",
      tags: ["Users"],
      role: "owner",
      summary: "List or count the members that match filters, by id",
      query: audienceQuery,
      input: ({ query }) => readAudience(query),
      reads: ({ companyId, input }) => selectAudience(companyId, input),
      responses: { 200: jsonResponse(audienceSchema, "A page, or only `count`") },
    },
    ({ c, input, results }) => c.json(presentAudience(input, results)),
  );
}
