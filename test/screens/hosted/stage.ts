import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { loadSource } from "../../../scripts/support/load.ts";
import { changeableSettings } from "../../../scripts/support/start/dev-settings.ts";
import { makeSecrets, type Secrets } from "../../../scripts/support/start/secrets.ts";
import type { Cleanup } from "../../support/cli/project.ts";
import { type Mail, readSignInMail } from "../../support/mail/maildev.ts";
import { type Platform, startIsolatedPlatform } from "../../support/platform/platform.ts";
import { signInAt } from "../../support/platform/platform-session.ts";

export type HostedLanguage = "en" | "fr";

/** What a screen needs to bring a page of a running platform into its state. */
export type HostedStage = {
  language: HostedLanguage;
  platform: Platform;
  /** an access token of the owner of company 1 */
  token: string;
  /** ends what screens start together with the platform */
  cleanup: Cleanup;
  /** opens a URL in a new browser context of the language */
  visit: (url: string) => Promise<Page>;
  /** sends a request as the owner of company 1 and returns the JSON of the response */
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** runs a statement in the database of identity */
  runSql: (sql: string) => Promise<unknown>;
  /** returns an address that no other screen uses */
  newAddress: () => string;
  /** returns the unsubscribe link of an address in mail of a category of company 1 */
  unsubscribeUrl: (category: string, address: string) => Promise<string>;
};

/** Brings a page of the services into a state; the page waits for something that only this state has. */
export type HostedScreen = (stage: HostedStage) => Promise<Page>;
/** Screens of one group. `prepare` runs before the first of them. */
export type HostedGroup = {
  name: string;
  prepare?: (stage: HostedStage) => Promise<unknown>;
  screens: Record<string, HostedScreen>;
};

/** Returns the first URL in the text of a mail that contains `part`. */
export function linkIn(mail: Mail, part: string): string {
  const link = mail.text.match(/https?:\/\/\S+/g)?.find((url) => url.includes(part));
  if (link === undefined) throw new Error(`no link with ${part} in: ${mail.subject}`);
  return link;
}

export const submit = (page: Page) => page.locator("button[type=submit]").first().click();

export async function waitForState(page: Page, tone: "success" | "danger" | "warning"): Promise<Page> {
  await page.locator(`.state.${tone}`).waitFor();
  return page;
}

/** The URL at which a sign-in ends. The platform has no page there. */
export const redirectOf = ({ platform }: HostedStage) => `${platform.url}/login/callback`;

/** Requests a sign-in link through the API and returns the link and code of its mail. */
export async function requestLink(stage: HostedStage, email: string) {
  const { platform } = stage;
  const before = (await platform.inbox.mailsTo(email)).length;
  await fetch(`${platform.url}/identity/api/v1/magic-link/request`, {
    method: "POST",
    headers: { "content-type": "application/json", "accept-language": stage.language },
    body: JSON.stringify({ company_id: 1, email, redirect_to: redirectOf(stage), language: stage.language }),
  });
  return readSignInMail(await platform.inbox.waitForMail(email, before + 1));
}

const TIMEOUT_MS = 20_000;
const highLimit = "1000/min";
const settings = {
  identity: Object.fromEntries(
    ["", "_PERSON", "_COMPANY", "_VERIFY"].map((suffix) => [`AUTH_RATE_LIMIT_MAGIC_LINK${suffix}`, highLimit]),
  ),
  email: {
    EMAIL_RECIPIENT_AUTH_LIMIT: "1000",
    EMAIL_COMPANY_AUTH_LIMIT: "1000",
    EMAIL_NEWSLETTER_IP_PER_HOUR: "0",
    EMAIL_NEWSLETTER_LIST_PER_HOUR: "0",
  },
};

type EmailModule = {
  settingsOf: (env: object) => { rawKeys: { pepper: Uint8Array } };
  hashAddress: (pepper: Uint8Array, address: string) => Promise<string>;
  createUnsubscribeUrl: (settings: object, companyId: number, category: string, hmac: string) => Promise<string>;
};

/** Returns a function that creates unsubscribe links as the email service does. */
async function unsubscribeLinks(platform: Platform, secrets: Secrets): Promise<HostedStage["unsubscribeUrl"]> {
  const folder = fileURLToPath(new URL("../../../workers/email", import.meta.url));
  const email = await loadSource<EmailModule>(
    `export { settingsOf } from "./settings"; export { hashAddress } from "./records/seal/address";
     export { createUnsubscribeUrl } from "./audience/unsubscribes/unsubscribe";`,
    folder,
  );
  const publicBaseUrl = `${platform.url}/email`;
  const env = { ...changeableSettings.email, ...secrets.email, PUBLIC_BASE_URL: publicBaseUrl };
  const { rawKeys } = email.settingsOf({ ...env, IDENTITY_ISSUER: `${platform.url}/identity` });
  return async (category, address) =>
    email.createUnsubscribeUrl(
      { publicBaseUrl, rawKeys },
      1,
      category,
      await email.hashAddress(rawKeys.pepper, address),
    );
}

/** Starts a platform, which ends with `cleanup`, and returns a stage for each language. */
export async function startHosted(browser: Browser, cleanup: Cleanup): Promise<Record<HostedLanguage, HostedStage>> {
  const secrets = await makeSecrets();
  const platform = await startIsolatedPlatform(settings, { secrets });
  cleanup.onTestFinished(() => platform.close());
  const token = await signInAt(platform, "owner@example.com");
  const unsubscribeUrl = await unsubscribeLinks(platform, secrets);
  const { DB } = await platform.worker("identity").getEnv();
  let addressCount = 0;
  const stageOf = (language: HostedLanguage): HostedStage => ({
    language,
    platform,
    token,
    cleanup,
    unsubscribeUrl,
    newAddress: () => {
      addressCount += 1;
      return `mina.adel${addressCount}@example.com`;
    },
    runSql: (sql) => DB.prepare(sql).run(),
    visit: async (url) => {
      const locale = { en: "en-GB", fr: "fr-FR" }[language];
      const context = await browser.newContext({ locale, reducedMotion: "reduce" });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    call: async (method, path, body) => {
      const response = await fetch(`${platform.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
  });
  return { en: stageOf("en"), fr: stageOf("fr") };
}
