import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { TransportDefinition } from "../providers/types";
import { apiTransport } from "./api-transport";
import { smtpTransport } from "./smtp-transport";

/**
 * The mail transports. To add one, add a file in this folder, a line here, its name in db/email/transports.ts, and its name and
 * credentials in schemas/email/delivery/transports.ts.
 */
export const transports: Readonly<Record<TransportName, TransportDefinition>> = {
  api: apiTransport,
  smtp: smtpTransport,
};

/** Returns the transport with this name, or null. */
export function findTransport(name: unknown): TransportDefinition | null {
  return Object.values(transports).find((transport) => transport.name === name) ?? null;
}
