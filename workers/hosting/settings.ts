import { issuerTable } from "../kit/auth/issuer";
import { jobTable, readJobSettings } from "../kit/jobs/settings";
import { mutationRate, serviceTable } from "../kit/service-settings";
import { oncePerIsolate, readSettings, type SettingsTable } from "../kit/settings/settings";
import { emailPostTable, webhookTable } from "../kit/webhooks/settings";
import type { HostingBindings } from "./bindings";

/** The variables of hosting. */
export const settingsTable = {
  ...serviceTable,
  jobs: jobTable,
  webhooks: { ...webhookTable, email: emailPostTable },
  identity: issuerTable,
  rates: { mutation: mutationRate },
} as const satisfies SettingsTable;

/**
 * Returns the settings of hosting; times are in milliseconds. Throws a SettingError that names the invalid setting, or
 * a DeploymentError.
 */
export const settingsOf = oncePerIsolate((env: HostingBindings) => {
  const jobs = readJobSettings(env, { queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] });
  return { ...readSettings(settingsTable, env), jobs };
});

export type HostingSettings = ReturnType<typeof settingsOf>;
