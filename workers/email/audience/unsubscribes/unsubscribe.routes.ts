import { unsubscribeListSchema } from "../../../../schemas/email/audience/unsubscribes";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { rowByNumber } from "../../../kit/http/resource";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { addressList } from "../../records/seal/address-list";
import { listOfCategory } from "./unsubscribe";
import { presentUnsubscribe } from "./unsubscribe.present";
import { deleteUnsubscribe, findUnsubscribe, listUnsubscribes, listUnsubscribesOf } from "./unsubscribe.store";

const PATH = "/api/v1/unsubscribes";
const tags = ["Unsubscribe"];
const list = addressList("unsubscribes", {
  all: listUnsubscribes,
  byAddress: listUnsubscribesOf,
  present: presentUnsubscribe,
});

/** `/api/v1/unsubscribes`: list and delete the unsubscribes of a company, for staff and owners. */
export function mountUnsubscribes({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the unsubscribes of a company, newest first",
      role: "owner",
      ...list.declared,
      responses: { 200: jsonResponse(unsubscribeListSchema, "One page of unsubscribes") },
    },
    list.handler,
  );
  call(
    {
      method: "delete",
      path: `${PATH}/{id}`,
      tags,
      summary: "Delete an unsubscribe; the address gets that mail again, and the newsletters that it left with it",
      role: "row",
      ...rowByNumber(findUnsubscribe),
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services: { dbOf, clock }, caller, row }) => {
      const { id, company_id: companyId, email_hmac: emailHmac, category, source } = row;
      const audit = { action: "unsubscribe.deleted", target: `unsubscribe:${id}`, changes: { category, source } };
      const now = clock.now();
      const entry = changeEntry({ ...audit, actor: actorOf(caller), companyId, now });
      const unsubscribe = { id, companyId, emailHmac, category, listId: listOfCategory(category) };
      if (!(await deleteUnsubscribe(dbOf(companyId), unsubscribe, entry, now))) throw new Problem("not_found");
      return c.body(null, 204);
    },
  );
}
