import { Problem } from "../problem";
import type { HostingServices } from "../services";

type Settings = Pick<HostingServices["settings"], "apps">;

/** Throws 503 `hosting_not_configured` without a domain for apps. */
export function requireDomain({ services }: { services: { settings: Settings } }): void {
  if (services.settings.apps.domain === null) throw new Problem("hosting_not_configured");
}

/** Returns the address of an app. */
export const appUrl = ({ apps }: Settings, { slug }: { slug: string }): string =>
  `${apps.scheme}://${slug}.${apps.domain}`;

/** Returns the address of one deployment of an app. */
export const deploymentUrl = (
  { apps }: Settings,
  { slug }: { slug: string },
  { address }: { address: string },
): string => `${apps.scheme}://${slug}--${address}.${apps.domain}`;
