import type { Page } from "playwright-core";
import { storeBranding } from "./branding.ts";
import { type HostedGroup, type HostedScreen, type HostedStage, linkIn, submit, waitForState } from "./stage.ts";

type Newsletter = { id: number; name: string; public_key: string; subscribe_url: string };

const NAMES = {
  en: ["Product news", "Weekly tips"],
  fr: ["Actualités produit", "Conseils de la semaine"],
};
const DESCRIPTIONS = {
  en: "What is new, once a month. No advertising.",
  fr: "Les nouveautés, une fois par mois. Sans publicité.",
};

/** The newsletters by language. `prepare` creates them. */
const newsletters: Record<string, Newsletter[]> = {};

async function createNewsletters({ call }: HostedStage): Promise<void> {
  if (newsletters.en !== undefined) return;
  for (const language of ["en", "fr"] as const) {
    newsletters[language] = [];
    for (const name of NAMES[language]) {
      const body = { name, description: DESCRIPTIONS[language], default_language: language };
      newsletters[language].push(await call<Newsletter>("POST", "/email/api/v1/newsletters", body));
    }
  }
}

const listsOf = ({ language }: HostedStage): Newsletter[] => newsletters[language] ?? [];

async function openSignUp(stage: HostedStage, list = listsOf(stage)[0]): Promise<Page> {
  const page = await stage.visit(`${stage.platform.url}/email/api/v1/public/newsletters/${list?.public_key}`);
  await page.locator("input[name=email]").waitFor();
  return page;
}

async function signUp(page: Page, address: string): Promise<void> {
  await page.locator("input[name=email]").fill(address);
  await page.locator("input[name=first_name]").fill("Mina");
  await submit(page);
}

/** Signs a new address up and returns it with the link of its confirmation mail. */
async function signUpNew(stage: HostedStage, list?: Newsletter, address = stage.newAddress()) {
  const before = (await stage.platform.inbox.mailsTo(address)).length;
  const page = await openSignUp(stage, list);
  await signUp(page, address);
  const link = linkIn(await stage.platform.inbox.waitForMail(address, before + 1), "/confirm/");
  return { page, address, link };
}

async function subscribe(stage: HostedStage): Promise<string> {
  const address = stage.newAddress();
  for (const list of listsOf(stage)) {
    const { page, link } = await signUpNew(stage, list, address);
    await page.goto(link);
    await submit(page);
    await page.context().close();
  }
  return address;
}

const confirmed: HostedScreen = async (stage) => {
  const { page, link } = await signUpNew(stage);
  await page.goto(link);
  await submit(page);
  return waitForState(page, "success");
};

/** The unsubscribe page of a new subscriber. `category` is that of the link, where `list` is the first newsletter. */
const unsubscribing =
  (category: "transactional" | "bulk" | "list", then?: (page: Page) => Promise<unknown>): HostedScreen =>
  async (stage) => {
    const address = category === "transactional" ? stage.newAddress() : await subscribe(stage);
    const url = await stage.unsubscribeUrl(category === "list" ? `list-${listsOf(stage)[0]?.id}` : category, address);
    const page = await stage.visit(url);
    await page.locator("form").first().waitFor();
    await then?.(page);
    return page;
  };

/** Sends a broadcast to a new address and returns its web version. */
async function webVersion(stage: HostedStage): Promise<Page> {
  const { call, language, newAddress, platform, visit } = stage;
  const address = newAddress();
  const audience = { mode: "pick", emails: [address] };
  const draft = { name: NAMES[language][0], source_key: "studio.newsletter", language, audience };
  const { id } = await call<{ id: number }>("POST", "/email/api/v1/broadcasts", draft);
  await call("POST", `/email/api/v1/broadcasts/${id}/send`);
  const { html } = await platform.inbox.waitForMail(address);
  const link = /href="([^"]*\/v\/[^"]*)"/.exec(html)?.[1];
  if (link === undefined) throw new Error(`no web version of broadcast ${id}`);
  return visit(link);
}

const press = async (page: Page) => {
  await submit(page);
  await waitForState(page, "success");
};

const screens: Record<string, HostedScreen> = {
  "sign-up": (stage) => openSignUp(stage),
  "sign-up with a wrong address": async (stage) => {
    const page = await openSignUp(stage);
    await signUp(page, "mina@");
    await page.locator(".error").waitFor();
    return page;
  },
  "sign-up that was sent": async (stage) => {
    const page = await openSignUp(stage);
    await signUp(page, stage.newAddress());
    return waitForState(page, "success");
  },
  "sign-up to an unknown newsletter": ({ visit, platform }) =>
    visit(`${platform.url}/email/api/v1/public/newsletters/nl_unknown`),
  "confirmation of a subscription": async (stage) => {
    const { page, link } = await signUpNew(stage);
    await page.goto(link);
    return page;
  },
  "subscription that is confirmed": confirmed,
  "subscription that was confirmed before": async (stage) => {
    const { page, link } = await signUpNew(stage);
    await page.goto(link);
    await submit(page);
    await waitForState(page, "success");
    await page.goto(link);
    return waitForState(page, "success");
  },
  "confirmation that expired": ({ visit, platform }) =>
    visit(`${platform.url}/email/api/v1/public/newsletters/confirm/${"x".repeat(43)}`),
  "unsubscribe from notifications": unsubscribing("transactional"),
  "unsubscribed from notifications": unsubscribing("transactional", press),
  "unsubscribe from a newsletter": unsubscribing("list"),
  "unsubscribed from a newsletter": unsubscribing("list", press),
  "subscribed again": unsubscribing("list", async (page) => {
    await press(page);
    await page.locator("form:has(input[name=action][value=undo]) button").first().click();
    await page.locator("form:has(input[name=action][value=undo])").first().waitFor({ state: "detached" });
  }),
  "unsubscribe from all mail": unsubscribing("bulk"),
  "unsubscribed from all mail": unsubscribing("bulk", press),
  "web version of a broadcast": webVersion,
  "web version by a wrong link": ({ visit, platform }) => visit(`${platform.url}/email/v/1.1.x`),
  "unsubscribe by a wrong link": ({ visit, platform }) => visit(`${platform.url}/email/u/1.bulk.x.x`),
};

export const emailGroup: HostedGroup = { name: "email pages", prepare: createNewsletters, screens };

/** The pages whose look depends on the colours and logos of the company. */
export const brandedEmailGroup: HostedGroup = {
  name: "email pages with branding",
  prepare: async (stage) => {
    await createNewsletters(stage);
    await storeBranding(stage);
  },
  screens: {
    "sign-up": screens["sign-up"] as HostedScreen,
    "subscription that is confirmed": confirmed,
    "unsubscribe from a newsletter": unsubscribing("list"),
    "unsubscribed from a newsletter": unsubscribing("list", press),
  },
};
