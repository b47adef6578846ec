import { readBearer, unauthorized } from "../../../kit/auth/caller";
import { sha256Hex } from "../../../kit/crypto/hash";
import type { EmailServices } from "../../services";
import { isServiceKey, readServiceClient, type ServiceClient, touchLater } from "./service-client";
import { findActiveClient } from "./service-client.store";

/** The service client of an `esk_` bearer; 401 for anything else. One round trip. */
export async function requireServiceKey(request: Request, services: EmailServices): Promise<ServiceClient> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  const now = services.clock.now();
  const row = await services.platformDb.first(findActiveClient({ hash: await sha256Hex(bearer), now }));
  const client = readServiceClient(row);
  if (client === null) throw unauthorized();
  touchLater(services, client, now);
  return client;
}
