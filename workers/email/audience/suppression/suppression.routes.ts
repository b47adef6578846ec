import {
  suppressionCreatedSchema,
  suppressionInputSchema,
  suppressionListSchema,
} from "../../../../schemas/email/audience/suppressions";
import { companyQuery } from "../../../../schemas/query";
import { maskAddress } from "../../../../schemas/text/address";
import { actorOf, runAudited } from "../../../kit/audit/audit";
import { DatabaseError } from "../../../kit/db/db";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { rowByNumber } from "../../../kit/http/resource";
import { invalid } from "../../../kit/problem";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { hashAddress, readAddress } from "../../records/seal/address";
import { addressList } from "../../records/seal/address-list";
import { presentCreatedSuppression, presentSuppression } from "./suppression.present";
import {
  deleteSuppression,
  findSuppressionRow,
  listSuppressions,
  listSuppressionsOf,
  putSuppression,
} from "./suppression.store";

const PATH = "/api/v1/suppressions";
const tags = ["Suppressions"];
const list = addressList("suppressions", {
  all: listSuppressions,
  byAddress: listSuppressionsOf,
  present: presentSuppression,
});

/** `/api/v1/suppressions`: list, create and delete suppressions, the addresses that a company must not send to. */
export function mountSuppressions({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the suppressions of a company, newest first",
      role: "owner",
      ...list.declared,
      responses: { 200: jsonResponse(suppressionListSchema, "One page of suppressions") },
    },
    list.handler,
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Suppress an address; a repeat with the same reason changes the row",
      role: "owner",
      query: companyQuery,
      body: {
        schema: suppressionInputSchema,
        read: (raw) => {
          const input = parse(suppressionInputSchema, raw);
          const address = readAddress(input.email);
          if (address === null) throw invalid({ email: ["invalid_format"] });
          return { ...input, address };
        },
      },
      responses: { 201: jsonResponse(suppressionCreatedSchema, "The suppression") },
    },
    async ({ c, services, caller, scope, body: { address, reason, lanes, expires_at } }) => {
      const { dbOf, settings, clock } = services;
      const row = await putSuppression(
        dbOf(scope),
        {
          company_id: scope,
          reason,
          lanes,
          expires_at,
          created_at: clock.now(),
          email_hmac: await hashAddress(settings.rawKeys.pepper, address),
          email_masked: maskAddress(address),
        },
        actorOf(caller),
      );
      if (row === null) throw new DatabaseError("the upsert of a suppression returned no row");
      return c.json(presentCreatedSuppression(row), 201);
    },
  );
  call(
    {
      method: "delete",
      path: `${PATH}/{id}`,
      tags,
      summary: "Delete a suppression",
      role: "row",
      ...rowByNumber(findSuppressionRow),
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services, caller, row: { id, company_id: companyId, reason } }) => {
      const entry = { companyId, action: "suppression.deleted", target: `suppression:${id}`, changes: { reason } };
      const isDeleted = await runAudited(services, caller, deleteSuppression({ id, companyId }), entry);
      if (!isDeleted) throw new Problem("not_found");
      return c.body(null, 204);
    },
  );
}
