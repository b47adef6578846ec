import type { MessageRow } from "../../../../db/email/rows";
import { type AdminCaller, readBearer, requireAdmin } from "../../../kit/auth/caller";
import { isOwnerOf } from "../../../kit/auth/role";
import { companyScope } from "../../../kit/http/request/company-scope";
import { Problem } from "../../problem";
import { readKeyHash, requireActive } from "../../records/clients/caller";
import { canSendFor, isServiceKey } from "../../records/clients/service-client";
import type { EmailServices } from "../../services";
import { type BroadcastOfMessage, readMessage } from "./message.store";

const ID_PATTERN = /^(?:msg_)?([0-9a-f]{32})$/;
const UUID_PATTERN = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

/** Returns the 32 hex characters of an id in the path. Accepts `msg_` and hex, bare hex, and a UUID; returns "" otherwise. */
export function readMessageId(text: string | undefined): string {
  const hex = ID_PATTERN.exec(text ?? "")?.[1];
  return (
    hex ??
    UUID_PATTERN.exec(text ?? "")
      ?.slice(1)
      .join("") ??
    ""
  );
}

/**
 * Returns the message with the id in the path, and its broadcast. The caller must be the service that sent it, staff, or an
 * owner of its company. `caller` is null for a service key. Throws 401, 404 `message_not_found` or 403 `forbidden`.
 */
export async function requireMessage(
  request: Request,
  path: { id: string | undefined; companyId: string | undefined },
  services: EmailServices,
): Promise<{ message: MessageRow; broadcast: BroadcastOfMessage | null; caller: AdminCaller | null }> {
  const id = readMessageId(path.id);
  if (isServiceKey(readBearer(request))) {
    const hash = await readKeyHash(request);
    const loaded = await readMessage(services.platformDb, id, { keyHash: hash, now: services.clock.now() });
    const client = await requireActive(request, services, { hash, row: loaded.key });
    const message = requireExisting(loaded.message);
    if (client.service !== message.service || !canSendFor(client, message.company_id)) throw new Problem("forbidden");
    return { message, broadcast: loaded.broadcast, caller: null };
  }
  const caller = await requireAdmin(request, services);
  const scope =
    path.companyId === undefined
      ? null
      : companyScope({ query: path.companyId, token: caller.companyId, isStaff: caller.isStaff });
  const loaded = await readMessage(services.platformDb, id, null);
  const message = requireExisting(loaded.message);
  if (!isOwnerOf(caller, message.company_id)) throw new Problem("forbidden");
  if (scope !== null && scope !== message.company_id) throw new Problem("forbidden");
  return { message, broadcast: loaded.broadcast, caller };
}

function requireExisting(message: MessageRow | null): MessageRow {
  if (message === null) throw new Problem("message_not_found");
  return message;
}
