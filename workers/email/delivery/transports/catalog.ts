import type { CompanyTransportName, TransportName } from "../../../../schemas/email/delivery/transports";
import type { PlatformTransportDefinition, TransportDefinition } from "../providers/types";
import { apiTransport } from "./api-transport";
import { cloudflareTransport } from "./cloudflare-transport";
import { smtpTransport } from "./smtp-transport";

/**
 * The mail transports of companies and of the platform. To add one, add a file in this folder, a line here, its name in db/email/transports.ts, and its name and
 * credentials in schemas/email/delivery/transports.ts.
 */
export const transports: Readonly<Record<CompanyTransportName, TransportDefinition>> = {
  api: apiTransport,
  smtp: smtpTransport,
};

/** All transports of the platform sender. */
const platformTransports: Readonly<Record<TransportName, PlatformTransportDefinition>> = {
  ...transports,
  cloudflare: cloudflareTransport,
};

/** Returns the transport of the platform sender with this name. */
export const platformTransport = (name: TransportName): PlatformTransportDefinition => platformTransports[name];

/** Returns the transport of companies with this name, or null. */
export function findTransport(name: unknown): TransportDefinition | null {
  return Object.values(transports).find((transport) => transport.name === name) ?? null;
}
