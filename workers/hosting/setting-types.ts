import { schemaOf } from "../kit/settings/setting-types";
import type { SettingType } from "../kit/settings/settings";

/**
 * The domain of the apps in lower case, with a port unless it is the default of the scheme. `none` is null: the deployment hosts no
 * apps.
 */
export const domainOfApps: SettingType<string | null> = () =>
  schemaOf("a domain, such as apps.example.com or localhost:8787, or none", (input): string | null | undefined => {
    const domain = input.toLowerCase();
    if (domain === "none") return null;
    const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    return new RegExp(`^${label}(?:\\.${label})*(?::[1-9]\\d{0,4})?$`).test(domain) ? domain : undefined;
  });
