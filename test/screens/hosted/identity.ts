import type { Page } from "playwright-core";
import { storeBranding } from "./branding.ts";
import {
  type HostedGroup,
  type HostedScreen,
  type HostedStage,
  linkIn,
  redirectOf,
  requestLink,
  submit,
  waitForState,
} from "./stage.ts";

const WRONG_CODE = "2222-2222";

const openSignIn = (stage: HostedStage, extra: Record<string, string> = {}) => {
  const query = new URLSearchParams({ company_id: "1", redirect_to: redirectOf(stage), ...extra });
  return stage.visit(`${stage.platform.url}/identity/api/v1/authorize?${query}`);
};

async function typeAddress(page: Page, address: string): Promise<void> {
  await page.locator("input[name=email]").fill(address);
  await submit(page);
}

/** The code page of a new sign-in, after `count` wrong codes. */
const codePage =
  (count: number): HostedScreen =>
  async (stage) => {
    const page = await openSignIn(stage);
    await typeAddress(page, stage.newAddress());
    const field = page.locator("input[name=code]");
    await field.waitFor();
    for (let at = 0; at < count; at++) {
      await field.fill(WRONG_CODE);
      await submit(page);
      await page.getByRole("alert").waitFor();
    }
    return page;
  };

const problem =
  (path: string): HostedScreen =>
  async ({ visit, platform }) => {
    const page = await visit(`${platform.url}/identity/api/v1/${path}`);
    await page.locator(".state").waitFor();
    return page;
  };

/** Signs a new user in from two devices and returns the link of the notice about the second one. */
async function sessionEndLink(stage: HostedStage): Promise<string> {
  const { platform, language, newAddress } = stage;
  const email = newAddress();
  for (const browser of ["Firefox/140.0", "Chrome/140.0.0.0 Safari/537.36"]) {
    const { code } = await requestLink(stage, email);
    await fetch(`${platform.url}/identity/api/v1/magic-link/verify`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "accept-language": language,
        "user-agent": `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}`,
      },
      body: JSON.stringify({ company_id: 1, email, code }),
    });
  }
  return linkIn(await platform.inbox.waitForMail(email, 3), "/session-end?");
}

const invite = async ({ call, platform, newAddress, language }: HostedStage) => {
  const email = newAddress();
  await call("POST", "/identity/api/v1/invitations", { email, language });
  return linkIn(await platform.inbox.waitForMail(email), "/invitations/open?");
};

export const identityGroup: HostedGroup = {
  name: "identity pages",
  prepare: ({ runSql }) => runSql("update companies set notify_new_device = 1 where id = 1"),
  screens: {
    "sign-in": (stage) => openSignIn(stage),
    "sign-in with a wrong address": async (stage) => {
      const page = await openSignIn(stage);
      await page.locator("form").evaluate((form: HTMLFormElement) => {
        form.noValidate = true;
      });
      await typeAddress(page, "mina@example");
      await page.getByRole("alert").waitFor();
      return page;
    },
    "sign-in to an address that is not allowed": (stage) =>
      openSignIn(stage, { redirect_to: "https://elsewhere.example/" }),
    code: codePage(0),
    "code that is wrong": codePage(1),
    "code that was wrong five times": codePage(5),
    "confirmation of a link": async (stage) => {
      const { link } = await requestLink(stage, stage.newAddress());
      return stage.visit(link);
    },
    "confirmation in the browser of the request": async (stage) => {
      const address = stage.newAddress();
      const page = await openSignIn(stage);
      await typeAddress(page, address);
      const mail = await stage.platform.inbox.waitForMail(address);
      await page.goto(linkIn(mail, "/magic-link/verify?"));
      return page;
    },
    "link that was used": async (stage) => {
      const { link } = await requestLink(stage, stage.newAddress());
      const page = await stage.visit(link);
      await submit(page);
      await page.waitForURL(`${redirectOf(stage)}**`);
      await page.goto(link);
      return waitForState(page, "danger");
    },
    "link that is unknown": problem(`magic-link/verify?company_id=1&token=${"x".repeat(43)}`),
    invitation: async (stage) => stage.visit(await invite(stage)),
    "invitation that is not valid": problem(`invitations/open?token=${"x".repeat(43)}`),
    "end of a session": async (stage) => stage.visit(await sessionEndLink(stage)),
    "session that ended": async (stage) => {
      const page = await stage.visit(await sessionEndLink(stage));
      await submit(page);
      return waitForState(page, "success");
    },
    "end of a session by a wrong link": problem("session-end?token=x"),
  },
};

/** Stores a colour and logos, and waits until identity shows them. */
async function brand(stage: HostedStage): Promise<void> {
  await storeBranding(stage);
  const { platform } = stage;
  const page = await stage.visit("about:blank");
  await page.goto(`${platform.url}/identity/api/v1/authorize?company_id=1&redirect_to=${redirectOf(stage)}`);
  // Identity keeps a look for a minute.
  for (const end = Date.now() + 90_000; Date.now() < end && (await page.locator(".logo").count()) === 0; ) {
    await page.waitForTimeout(1000);
    await page.reload();
  }
  await page.context().close();
}

/** The pages of a sign-in with colour and logo of the company. */
export const brandedIdentityGroup: HostedGroup = {
  name: "identity pages with branding",
  prepare: brand,
  screens: {
    "sign-in": (stage) => openSignIn(stage),
    code: codePage(0),
    "confirmation of a link": identityGroup.screens["confirmation of a link"] as HostedScreen,
  },
};
