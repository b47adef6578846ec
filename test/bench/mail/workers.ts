import { demo, seedStatements } from "../../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../../scripts/support/start/secrets.ts";
import { type Call, send } from "../support/load.ts";
import { redirectTo } from "../support/person.ts";
import { benchWorker, type Runtime, type Settings, serviceWorker } from "../support/runtime.ts";

/** The services of the mail benchmark whose databases are prepared. */
export const services = ["identity", "email"] as const;
export const providerSecret = "secret of the provider";
export const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

export const settingsOf = (service: (typeof services)[number] | "storage"): Settings => ({
  ...changeableSettings[service],
  ...secrets[service],
  ...derived[service],
});

/** Settings for the mail API at a port of this machine. */
export const apiSettings = (port: number): Settings => ({
  EMAIL_FALLBACK_PROVIDER: "api",
  PROVIDER_API_KEY: "key",
  PROVIDER_WEBHOOK_SECRET: providerSecret,
  PROVIDER_API_URL: `http://127.0.0.1:${port}`,
});

/** Returns identity, which sends its mail to a sink, and email, which sends it through `transport`. */
export async function mailWorkers(isMetered: boolean, transport: Settings) {
  return [
    await serviceWorker("identity", {
      // Longer than all calls of the benchmark take.
      settings: { ...settingsOf("identity"), JWT_ACCESS_TOKEN_LIFETIME: "1h" },
      isMetered,
      services: { EMAIL: "mail-sink" },
    }),
    await serviceWorker("email", {
      settings: { ...settingsOf("email"), ...transport, EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "1000000" },
      isMetered,
    }),
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
  ];
}

/** Inserts the demo company, its users and the keys of the services. */
export async function seedCompany(runtime: Runtime): Promise<void> {
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  for (const service of services) {
    const d1 = await runtime.database("DB", `platform-${service}`);
    await d1.batch(seed[service].map((text) => d1.prepare(text)));
  }
}

export const get = (url: string, bearer: string): Call => ({
  url,
  method: "GET",
  headers: { authorization: `Bearer ${bearer}` },
});

export const json = (url: string, bearer: string, body: unknown, headers: Record<string, string> = {}): Call => ({
  url,
  method: "POST",
  headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** Creates an API key of company 1 for mail with its own content. `url` is the base URL of email. */
export async function createDirectKey(url: string, owner: string): Promise<string> {
  const body = { allowed_template_prefixes: ["shop."], direct_content: true };
  return (JSON.parse((await send(json(`${url}/api/v1/api-keys`, owner, body))).text) as { key: string }).key;
}

/** The address from which company 1 sends. */
export const sender = changeableSettings.email.DEFAULT_FROM_EMAIL;
