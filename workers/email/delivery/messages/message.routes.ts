import * as z from "zod";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { cancelledSchema, messageListSchema, messageSchema } from "../../../../schemas/email/delivery/messages";
import { emailErrors } from "../../../../schemas/email/errors";
import { MESSAGE_STATUSES } from "../../../../schemas/email/intake/send";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { idText, listQuery } from "../../../../schemas/query";
import { addressPattern } from "../../../../schemas/text/address";
import { requestIdPattern } from "../../../../schemas/text/request-id";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { limitMutation } from "../../../kit/auth/caller";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { readPage } from "../../../kit/http/paging/page";
import { splitScan } from "../../../kit/http/paging/scan";
import { instantQuery } from "../../../kit/http/request/instant";
import type { EmailContext, EmailService } from "../../http";
import { Problem } from "../../problem";
import { removeUnusedAttachments } from "../attachments/attachments";
import { readMessageFilter } from "./filter";
import { requireMessage } from "./message";
import { presentListedMessage, presentMessage } from "./message.present";
import { cancelMessage } from "./message.store";
import { listMessages } from "./message-list.store";

const security = [{ bearerAuth: [] }];
const tags = ["Messages"];
const positionSchema = lazySchema(() => z.tuple([z.int().min(0), z.string().regex(/^[0-9a-f]{32}$/)]));
const rowErrors = [
  "unauthorized",
  "forbidden",
  "rate_limited",
  "service_unavailable",
  "validation_failed",
  "company_mismatch",
  "message_not_found",
];
const request = () => ({
  params: z.object({ id: z.string().regex(/^msg_[0-9a-f]{32}$/) }),
  query: z.object({ company_id: z.string().optional() }),
});
const text = () => z.string().optional();
const commaList = () => text().meta({ description: "comma-separated list" });

/**
 * `/api/v1/messages`: list messages, get one, and cancel one. The service that sent a message may also get it and cancel it.
 */
export function mountMessages(service: EmailService): void {
  service.call(
    {
      method: "get",
      path: "/api/v1/messages",
      tags,
      summary: "List messages of a company, newest first, with masked addresses",
      description:
        "A call with a filter other than `email` searches 2,000 messages: follow `next_cursor` until it is null, and set `from` and `to` to narrow the search.",
      role: "owner",
      query: lazySchema(() =>
        z.object({
          company_id: text(),
          status: listQuery(MESSAGE_STATUSES),
          lane: listQuery(LANES),
          template_key: commaList(),
          event_type: commaList(),
          service: commaList(),
          request_id: text().meta({
            pattern: requestIdPattern.source,
            description: "request id of the call that sent the message",
          }),
          broadcast_id: idText().optional().describe("only the messages of this broadcast"),
          email: text().meta({ pattern: addressPattern }),
          from: instantQuery().describe("UTC day or time, included; must be before `to`"),
          to: instantQuery().describe("UTC day (included) or time (excluded)"),
          limit: text(),
          cursor: text(),
        }),
      ),
      input: async ({ query, services }) => ({
        page: readPage(query, positionSchema),
        filter: await readMessageFilter(query, await services.keys()),
      }),
      reads: ({ companyId, input: { filter, page } }) => ({ messages: listMessages(companyId ?? 0, filter, page) }),
      responses: { 200: jsonResponse(messageListSchema, "One page of messages") },
    },
    ({ c, scope, input, results }) => {
      const { rows, next_cursor } = splitScan(results.messages.rows, input.page, (row) => [row.accepted_at, row.id]);
      return c.json({ company_id: scope, messages: rows.map(presentListedMessage), next_cursor });
    },
  );
  service.route(
    {
      method: "get",
      path: "/api/v1/messages/{id}",
      tags,
      security,
      summary: "Get the status and history of a message",
      describe: () => ({
        request: request(),
        responses: {
          200: jsonResponse(messageSchema, "The message"),
          ...problemResponses(emailErrors, rowErrors),
        },
      }),
    },
    show,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/messages/{id}/cancel",
      tags,
      security,
      summary: "Cancel a waiting message",
      describe: () => ({
        request: request(),
        responses: {
          200: jsonResponse(cancelledSchema, "The message is cancelled"),
          ...problemResponses(emailErrors, [...rowErrors, "pat_read_only", "message_not_cancellable"]),
        },
      }),
    },
    cancel,
  );
}

async function show(c: EmailContext): Promise<Response> {
  const path = { id: c.req.param("id"), companyId: c.req.query("company_id") };
  const { message, broadcast } = await requireMessage(c.req.raw, path, c.get("services"));
  return c.json(presentMessage(message, broadcast));
}

async function cancel(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const path = { id: c.req.param("id"), companyId: c.req.query("company_id") };
  const { message, caller } = await requireMessage(c.req.raw, path, services);
  if (caller !== null) await limitMutation(services, caller);
  const { id, company_id: companyId } = message;
  const now = services.clock.now();
  const cancelled = { companyId, action: "message.cancelled", target: `message:msg_${id}`, now };
  const entries = caller === null ? [] : [changeEntry({ ...cancelled, actor: actorOf(caller) })];
  const isCancelled = await cancelMessage(services.dbOf(companyId), { companyId, id, now }, entries);
  if (!isCancelled) throw new Problem("message_not_cancellable");
  if (message.attachments_id !== null) {
    services.waitUntil(removeUnusedAttachments(services, companyId, [message.attachments_id]));
  }
  return c.json({ id: `msg_${message.id}`, status: "cancelled" });
}
