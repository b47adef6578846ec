import type { ScimTokenInput } from "../../../../schemas/identity/people/scim";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import { clientContext } from "../../caller/client/client-context";
import type { Caller } from "../../caller/credentials/caller";
import { Problem } from "../../problem";
import { changeEventEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { TOKEN_START } from "./client";
import { findToken, insertToken, revokeToken, type TokenRow } from "./scim-token.store";

/** Maximum number of live tokens of a company. */
const MAX_LIVE_TOKENS = 10;
const PREFIX_LENGTH = 12;

/** The administrator with their request, and the company whose tokens change. */
type Target = { services: IdentityServices; request: Request; caller: Caller; companyId: number };

/**
 * Creates a token in one batch with its event. Throws 403 `forbidden` if directory sync is disabled, and 409 `limit_reached` if the
 * company has 10 live tokens.
 */
export async function createToken(
  target: Target,
  { name = "" }: ScimTokenInput,
): Promise<{ row: TokenRow; token: string }> {
  const { services, companyId } = target;
  if (!services.settings.scimEnabled) throw new Problem("forbidden", { message: "Directory sync is disabled." });
  const token = TOKEN_START + randomToken();
  const id = uuid();
  const prefix = token.slice(0, PREFIX_LENGTH);
  const events: EventKey[] = [];
  const created = { type: "identity.scim.token.created", data: eventData(target, { id, name, prefix }) } as const;
  const values = { companyId, id, name, hash: await sha256Hex(token), prefix, now: services.clock.now() };
  const { row } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      inserted: followedBy(
        insertToken({ ...values, max: MAX_LIVE_TOKENS }),
        changeEventEntry(services, events, { ...target, ...created }),
      ),
      row: findToken({ companyId, id }),
    },
    events,
  );
  if (row.first === null) throw new Problem("limit_reached");
  return { row: row.first, token };
}

/** Revokes a token in one batch with its event, and returns it. Does nothing if it is revoked. Throws 404. */
export async function endToken(target: Target, { id, name, token_prefix }: TokenRow): Promise<TokenRow> {
  const { services, companyId } = target;
  const events: EventKey[] = [];
  const revoked = {
    type: "identity.scim.token.revoked",
    data: eventData(target, { id, name, prefix: token_prefix }),
  } as const;
  const { row } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      revoked: followedBy(
        revokeToken({ companyId, id, now: services.clock.now() }),
        changeEventEntry(services, events, { ...target, ...revoked }),
      ),
      row: findToken({ companyId, id }),
    },
    events,
  );
  if (row.first === null) throw new Problem("not_found");
  return row.first;
}

/** Returns the data of an event about a token. The country of the request helps owners to recognize a change that was not theirs. */
function eventData({ request }: Target, { id, name, prefix }: { id: string; name: string; prefix: string }) {
  const { country } = clientContext(request);
  const data = { token_id: id, token_name: name, token_prefix: prefix };
  return country === null ? data : { ...data, country_code: country };
}
