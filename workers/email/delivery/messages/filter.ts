import { LANES } from "../../../../schemas/email/delivery/lanes";
import { MESSAGE_STATUSES } from "../../../../schemas/email/intake/send";
import { idText } from "../../../../schemas/query";
import { requestIdPattern } from "../../../../schemas/text/request-id";
import { readCommaList } from "../../../kit/http/request/comma-list";
import { readSpan } from "../../../kit/http/request/instant";
import { invalid } from "../../../kit/problem";
import type { EmailKeys } from "../../keys";
import { hashAddress, readAddress } from "../../records/seal/address";
import type { MessageFilter } from "./message-list.store";

/** The query parameters of `GET /api/v1/messages`. */
export type MessageQuery = {
  [name in
    | ("status" | "lane" | "template_key" | "event_type" | "service")
    | ("request_id" | "broadcast_id" | "email" | "from" | "to")]?: string | undefined;
};

/**
 * Reads the filters of a list of messages. Throws 400 with `invalid` for an unknown status or lane, and for a malformed request
 * id or time. Throws `invalid_format` for a malformed address, and `out_of_range` when `from` is not before `to`.
 */
export async function readMessageFilter(query: MessageQuery, keys: EmailKeys): Promise<MessageFilter> {
  const { from, until, errors: fields } = readSpan(query);
  const status = readCommaList(query.status);
  const lane = readCommaList(query.lane);
  if (status?.some((value) => !MESSAGE_STATUSES.some((allowed) => allowed === value))) fields.status = ["invalid"];
  if (lane?.some((value) => !LANES.some((allowed) => allowed === value))) fields.lane = ["invalid"];
  if (query.request_id !== undefined && !requestIdPattern.test(query.request_id)) fields.request_id = ["invalid"];
  const broadcastId = query.broadcast_id === undefined ? null : idText().safeParse(query.broadcast_id).data;
  if (broadcastId === undefined) fields.broadcast_id = ["invalid"];
  const address = query.email === undefined ? null : readAddress(query.email);
  if (query.email !== undefined && address === null) fields.email = ["invalid_format"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return {
    from,
    until,
    status,
    lane,
    templateKey: readCommaList(query.template_key),
    eventType: readCommaList(query.event_type),
    service: readCommaList(query.service),
    requestId: query.request_id ?? null,
    broadcastId: broadcastId ?? null,
    hashes: address === null ? null : await Promise.all(keys.peppers.map((pepper) => hashAddress(pepper, address))),
  };
}
