import * as z from "zod";
import type { BroadcastRow } from "../../../../db/email/rows";
import type { RecipientStatus } from "../../../../schemas/email/audience/recipients";
import {
  recipientExportQuery,
  recipientListSchema,
  recipientQuery,
} from "../../../../schemas/email/audience/recipients";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { rowIdPath } from "../../../../schemas/query";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import { csvResponse } from "../../../kit/http/csv";
import { jsonResponse, media } from "../../../kit/http/openapi/responses";
import { readCursor } from "../../../kit/http/paging/cursor";
import { readPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { inScope } from "../../../kit/http/resource";
import type { EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { selectBroadcastRow } from "../broadcasts/broadcast";
import { openRecipient, presentRecipient } from "./recipient.present";
import { readRecipients, recipientPosition } from "./recipient-list";

const PATH = "/api/v1/broadcasts/{id}/recipients";
/** Rows that an export reads at once. */
const EXPORT_SIZE = 500;
const COLUMNS = ["email", "status", "message_id", "last_error_code", "accepted_at", "sent_at"] as const;

const rowRoute = {
  tags: ["Broadcasts"],
  role: "row",
  method: "get",
  params: rowIdPath,
  missingCode: "broadcast_not_found",
  reads: ({ input: { id } }: { input: { id: number | null } }) => ({
    row: id === null ? null : selectBroadcastRow(id),
  }),
  row: ({ scope, results }: { scope: number | null; results: { row: { first: BroadcastRow | null } | null } }) =>
    inScope(results.row?.first, scope),
} as const;

/** `/api/v1/broadcasts/{id}/recipients` and `.csv`: what happened to each recipient of a broadcast. */
export function mountRecipients({ call }: EmailService): void {
  call(
    {
      ...rowRoute,
      path: PATH,
      summary: "List the recipients of a broadcast, first those with a message, with masked addresses",
      description: "A call searches 2,000 messages: follow `next_cursor` until it is null.",
      query: recipientQuery,
      input: ({ params, query }) => {
        const { status, reveal } = parse(recipientQuery, query);
        const page = readPage(query, recipientPosition);
        return { id: rowIdOf(params.id), page, status: status ?? null, isRevealed: reveal ?? false };
      },
      responses: { 200: jsonResponse(recipientListSchema, "One page of recipients") },
    },
    async ({ c, services, caller, row, input: { page, status, isRevealed } }) => {
      const { id, company_id: companyId } = row;
      const audit = { action: "recipients.read", target: `broadcast:${id}`, now: services.clock.now() };
      const entry = isRevealed ? actionEntry({ ...audit, actor: actorOf(caller), companyId }) : null;
      const { rows, next_cursor } = await readRecipients(services, row, { status, page }, entry);
      const keys = await services.keys();
      const recipients = await Promise.all(
        rows.map(async (recipient) => ({
          ...(isRevealed ? { email: await openRecipient(recipient, row, keys) } : {}),
          ...presentRecipient(recipient, row),
        })),
      );
      return c.json({ recipients, next_cursor });
    },
  );
  call(
    {
      ...rowRoute,
      path: `${PATH}.csv`,
      summary: "Export the recipients of a broadcast with their addresses as CSV",
      query: recipientExportQuery,
      input: ({ params, query }) => ({
        id: rowIdOf(params.id),
        status: parse(recipientExportQuery, query).status ?? null,
      }),
      responses: {
        200: {
          description: "The recipients; cells that a spreadsheet would read as a formula begin with an apostrophe",
          content: { "text/csv": media(lazySchema(() => z.string())) },
        },
      },
    },
    async ({ services, caller, row, input: { status } }) => {
      const { id, company_id: companyId } = row;
      const audit = { action: "recipients.exported", target: `broadcast:${id}`, now: services.clock.now() };
      await services.dbOf(companyId).run(actionEntry({ ...audit, actor: actorOf(caller), companyId }));
      return csvResponse(`broadcast-${id}-recipients.csv`, COLUMNS, exportParts(services, row, status));
    },
  );
}

async function* exportParts(
  services: EmailServices,
  broadcast: BroadcastRow,
  status: RecipientStatus | null,
): AsyncGenerator<string[][]> {
  const keys = await services.keys();
  let cursor: string | null = "";
  while (cursor !== null) {
    const after = readCursor(cursor, recipientPosition) ?? null;
    const page = { page: 1, limit: EXPORT_SIZE, offset: 0, after };
    const { rows, next_cursor } = await readRecipients(services, broadcast, { status, page }, null);
    yield Promise.all(
      rows.map(async (row) => {
        const shown = presentRecipient(row, broadcast);
        const email = (await openRecipient(row, broadcast, keys)) ?? shown.email_masked;
        return [email, ...COLUMNS.slice(1).map((column) => shown[column] ?? "")];
      }),
    );
    cursor = next_cursor;
  }
}
