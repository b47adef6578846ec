import { open, SealError } from "../../../kit/crypto/seal";
import type { Db } from "../../../kit/db/db";
import type { CallbackTarget } from "../../../kit/webhooks/context";
import type { EmailKeys } from "../../keys";
import { findCallbacks } from "./callback.store";

/** Returns the additional authenticated data of a callback secret. The company is 0, because clients belong to no company. */
export function callbackAad(sealId: string): string {
  return `email:service_clients:callback_secret_enc:0:${sealId}`;
}

/**
 * Returns the callback URL and secret of each client, by client id. The value is null when the secret cannot be decrypted.
 * Omits revoked clients and clients without a callback.
 */
export async function callbackTargets(
  db: Db,
  keys: () => Promise<Pick<EmailKeys, "credentials">>,
  clientIds: readonly number[],
): Promise<Map<number, CallbackTarget | null>> {
  const rows = await db.all(findCallbacks({ ids: [...clientIds] }));
  const { credentials } = await keys();
  const targets = rows.map(async ({ id, callback_url: url, callback_secret_enc: sealed, seal_id }) => {
    try {
      return [id, { url, secret: await open(sealed, credentials, callbackAad(seal_id)) }] as const;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return [id, null] as const;
    }
  });
  return new Map(await Promise.all(targets));
}
