import * as z from "zod";
import type { NewsletterRow } from "../../../../db/email/rows";
import {
  newsletterChangeSchema,
  newsletterDetailSchema,
  newsletterInputSchema,
  newsletterListSchema,
} from "../../../../schemas/email/audience/newsletters";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { rowByNumber } from "../../../kit/http/resource";
import { selectProvider } from "../../delivery/sender-settings/provider";
import type { EmailContext, EmailService } from "../../http";
import type { EmailServices } from "../../services";
import {
  chooseConfirmationSender,
  createNewsletter,
  editNewsletter,
  removeNewsletter,
  rotatePublicKey,
} from "./newsletter";
import { presentNewsletter, presentNewsletterDetail } from "./newsletter.present";
import { findNewsletter, listNewsletters } from "./newsletter.store";
import { checkRedirect } from "./newsletter-input";

const PATH = "/api/v1/newsletters";
const tags = ["Newsletters"];
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({ limit: z.string().optional(), cursor: z.string().optional() }),
);
const positionSchema = lazySchema(() => z.tuple([z.string(), z.int()]));

const rowRoute = {
  ...rowByNumber(findNewsletter),
  tags,
  path: `${PATH}/{id}`,
  role: "row",
  missingCode: "newsletter_not_found",
} as const;

/** `/api/v1/newsletters`: the newsletters of a company. */
export function mountNewsletters({ call }: EmailService): void {
  const response = jsonResponse(newsletterDetailSchema, "The newsletter");
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the newsletters of a company, by name",
      role: "owner",
      query: listQuery,
      input: ({ query }) => readPage(query, positionSchema),
      reads: ({ companyId, input: { after, limit } }) => {
        const [afterName, afterId] = after ?? ["", 0];
        return { rows: listNewsletters({ companyId, afterName, afterId, limit: limit + 1 }) };
      },
      responses: { 200: jsonResponse(newsletterListSchema, "One page of newsletters") },
    },
    ({ c, services, input, results }) => {
      const page = splitPage(results.rows.rows, input.limit, ({ name, id }) => [name, id]);
      return c.json(presentResourcePage("newsletters", page, (row) => presentNewsletter(row, services.settings)));
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Create a newsletter with its confirmation mail",
      role: "owner",
      query: companyQuery,
      body: {
        schema: newsletterInputSchema,
        read: (raw, { services }) => {
          const input = parse(newsletterInputSchema, raw);
          checkRedirect(input.confirmed_redirect_url, services.settings);
          return input;
        },
      },
      responses: { 201: response },
      errorCodes: ["limit_reached", "library_not_synced", "renderer_unavailable"],
    },
    async ({ c, services, caller, scope: companyId, body }) =>
      presentDetail(c, services, await createNewsletter(services, companyId, body, actorOf(caller)), 201),
  );
  call(
    { ...rowRoute, method: "get", summary: "Get a newsletter", responses: { 200: response } },
    ({ c, services, row }) => presentDetail(c, services, row),
  );
  call(
    {
      ...rowRoute,
      method: "patch",
      summary: "Change a newsletter; missing fields keep their values",
      body: {
        schema: newsletterChangeSchema,
        read: (raw, { services }) => {
          const change = parse(newsletterChangeSchema, raw);
          checkRedirect(change.confirmed_redirect_url, services.settings);
          return change;
        },
      },
      responses: { 200: response },
    },
    async ({ c, services, caller, row, body }) =>
      presentDetail(c, services, await editNewsletter(services, row, body, actorOf(caller))),
  );
  call(
    {
      ...rowRoute,
      method: "delete",
      summary: "Delete a newsletter with its subscribers",
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["conflict"],
    },
    async ({ c, services, caller, row }) => {
      await removeNewsletter(services, row, actorOf(caller));
      return c.body(null, 204);
    },
  );
  call(
    {
      ...rowRoute,
      method: "post",
      path: `${PATH}/{id}/rotate-key`,
      summary: "Replace the public key; the previous one stops working at once",
      responses: { 200: response },
    },
    async ({ c, services, caller, row }) =>
      presentDetail(c, services, await rotatePublicKey(services, row, actorOf(caller))),
  );
}

async function presentDetail(
  c: EmailContext,
  services: EmailServices,
  row: NewsletterRow,
  status: 200 | 201 = 200,
): Promise<Response> {
  const provider = await services.dbOf(row.company_id).first(selectProvider(row.company_id));
  const choice = await chooseConfirmationSender(services, row.company_id, provider);
  return c.json(presentNewsletterDetail(row, choice, services.settings), status);
}
