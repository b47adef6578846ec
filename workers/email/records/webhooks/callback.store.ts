import { and, eq, isNotNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { service_clients } from "../../../../db/email/schema";
import { json, text } from "../../../kit/db/kind";
import { jsonEach, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The alias of service clients in callback statements. */
export const client = alias(service_clients, "client");

/** SQL condition: the client is active and has a callback. */
export const hasCallback = and(
  eq(client.active, true),
  isNotNull(client.callback_url),
  isNotNull(client.callback_host),
  isNotNull(client.callback_secret_enc),
);

/**
 * Statement: callback URL and encrypted secret of the listed clients. Omits clients that are not active or have no callback.
 */
export const findCallbacks = statement({ ids: json<number[]>() }, (p) => {
  const ids = jsonEach(p.ids);
  return selectRows(
    {
      id: client.id,
      callback_url: sql`${client.callback_url}`.mapWith(text),
      callback_secret_enc: sql`${client.callback_secret_enc}`.mapWith(text),
      seal_id: client.seal_id,
    },
    (columns) =>
      sql`select ${columns} from ${ids.from} cross join ${tableReference(client)} on ${client.id} = ${ids.value} where ${hasCallback}`,
  );
});
