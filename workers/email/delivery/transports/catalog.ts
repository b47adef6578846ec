import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { TransportDefinition } from "../providers/types";
import { apiTransport } from "./api-transport";
import { smtpTransport } from "./smtp-transport";

/** The transports of mail: a new one is a file beside these, its name and credentials in the schemas, and a line here. */
export const transports: Readonly<Record<TransportName, TransportDefinition>> = {
  api: apiTransport,
  smtp: smtpTransport,
};

/** The transport of this name, or null. */
export function findTransport(name: unknown): TransportDefinition | null {
  return Object.values(transports).find((transport) => transport.name === name) ?? null;
}
