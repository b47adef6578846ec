import * as z from "zod";
import type { NewsletterRow, SubscriberRow } from "../../../../db/email/rows";
import { importedSchema, importInputSchema } from "../../../../schemas/email/audience/subscribers";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import type { Db } from "../../../kit/db/db";
import { csvResponse } from "../../../kit/http/csv";
import { jsonResponse, media } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { rowByNumber } from "../../../kit/http/resource";
import { iso } from "../../../kit/time";
import type { EmailService } from "../../http";
import type { EmailKeys } from "../../keys";
import { selectNewsletter } from "../newsletters/newsletter";
import { openContact } from "../newsletters/subscriber-seal";
import { readImport } from "./csv";
import { importPeople } from "./import";
import { nextSubscribers } from "./subscriber.store";

const PATH = "/api/v1/newsletters/{id}/subscribers";
const MAX_BODY_BYTES = 6_291_456;
/** Rows that an export reads at once. */
const EXPORT_SIZE = 500;

const COLUMNS = [
  ...(["email", "first_name", "language", "status", "source", "created_at", "confirmed_at"] as const),
  "unsubscribed_at",
];

const rowRoute = {
  ...rowByNumber(selectNewsletter),
  tags: ["Newsletters"],
  role: "row",
  missingCode: "newsletter_not_found",
} as const;

/** `/api/v1/newsletters/{id}/subscribers/import` and `/subscribers.csv`: the subscribers of a newsletter as CSV. */
export function mountSubscriberFiles({ call }: EmailService): void {
  call(
    {
      ...rowRoute,
      method: "post",
      path: `${PATH}/import`,
      summary: "Import subscribers from CSV",
      description:
        "At most 2 MiB and 10,000 rows. With `confirm`, the confirmation mails follow within the limits of the company.",
      body: {
        schema: importInputSchema,
        limit: MAX_BODY_BYTES,
        read: (raw) => {
          const { csv, mode } = parse(importInputSchema, raw);
          return { ...readImport(csv), mode };
        },
      },
      responses: { 200: jsonResponse(importedSchema, "Number of addresses by what happened to them") },
      errorCodes: [
        ...(["import_too_large", "lane_paused", "provider_not_configured"] as const),
        ...(["platform_sender_not_allowed", "company_smtp_disabled"] as const),
      ],
    },
    async ({ c, services, caller, row, body }) => c.json(await importPeople(services, row, body, actorOf(caller))),
  );
  call(
    {
      ...rowRoute,
      method: "get",
      path: `${PATH}.csv`,
      summary: "Export the subscribers of a newsletter as CSV, oldest first",
      responses: {
        200: {
          description: "The subscribers; cells that a spreadsheet would read as a formula begin with an apostrophe",
          content: { "text/csv": media(lazySchema(() => z.string())) },
        },
      },
    },
    async ({ services, caller, row }) => {
      const { id: listId, company_id: companyId } = row;
      const db = services.dbOf(companyId);
      const audit = { action: "subscribers.exported", target: `newsletter:${listId}`, now: services.clock.now() };
      await db.run(actionEntry({ ...audit, actor: actorOf(caller), companyId }));
      const parts = exportParts(db, await services.keys(), row);
      return csvResponse(`newsletter-${listId}-subscribers.csv`, COLUMNS, parts);
    },
  );
}

async function* exportParts(db: Db, keys: EmailKeys, { id: listId }: NewsletterRow): AsyncGenerator<string[][]> {
  let afterId: number | undefined = 0;
  while (afterId !== undefined) {
    const rows: SubscriberRow[] = await db.all(nextSubscribers({ listId, afterId, limit: EXPORT_SIZE }));
    yield Promise.all(rows.map((row) => cellsOf(row, keys)));
    afterId = rows.length < EXPORT_SIZE ? undefined : rows.at(-1)?.id;
  }
}

async function cellsOf(row: SubscriberRow, keys: EmailKeys): Promise<string[]> {
  const { email, firstName } = await openContact(row, keys);
  const { language, status, source, created_at, confirmed_at, unsubscribed_at } = row;
  const times = [created_at, confirmed_at, unsubscribed_at].map((time) => (time === null ? "" : iso(time)));
  return [email ?? row.email_masked, firstName, language, status, source, ...times];
}
