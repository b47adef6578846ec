import type { Page } from "playwright-core";
import { type BackendResponses, tokensOf } from "../../support/shell/fake-identity.ts";
import {
  type ScreenOptions,
  type ShellScreen,
  type ShellScreens,
  type ShellStage,
  view,
  waitForHeading,
} from "./stage.ts";

const form = ["login.title", { title: "Aster" }] satisfies Parameters<typeof view>[1];
const WRONG_CODE = "bcdf2222";

const requestLink = async (page: Page, { t }: ShellStage, address: string) => {
  await page.getByLabel(t("login.email")).fill(address);
  await page.getByRole("button", { name: t("login.send") }).click();
};

const inbox =
  (then: (page: Page, stage: ShellStage) => Promise<unknown>): ShellScreen =>
  async (stage) => {
    const page = await stage.open("/login");
    await requestLink(page, stage, "mina@example.com");
    await waitForHeading(page, stage.t("login.inbox"));
    await then(page, stage);
    return page;
  };

const codeField = (page: Page, { t }: ShellStage) => page.getByLabel(t("login.code"));
const callbackError = (code: string): ShellScreen =>
  view(`/login/callback?platform_oauth_error_code=${code}&platform_oauth_error=x`);
const liveAs = (response: BackendResponses[string]): ScreenOptions => ({ responses: { "/api/v1/settings": response } });
const cliQuery = `platform_cli_redirect=${encodeURIComponent("http://127.0.0.1:4000/callback")}&code_challenge=${"a".repeat(43)}`;

export const signInScreens: ShellScreens = {
  "sign-in": {
    form: view("/login", form),
    "form with a panel": view("/login", form, { shell: "panel" }),
    "form after an error": view("/login?platform_oauth_error_code=oauth_provider_denied", form),
    "form for a command line tool": view(`/login?${cliQuery}`, form),
    "form with a wrong address": async (stage) => {
      const page = await stage.open("/login");
      await requestLink(page, stage, "mina");
      await page.getByText(stage.t("login.emailInvalid")).waitFor();
      return page;
    },
    "form after too many requests": async (stage) => {
      const responses = {
        "/api/v1/magic-link/request": { status: 429, body: { error_code: "rate_limited" } },
      };
      const page = await stage.open("/login", { responses });
      await requestLink(page, stage, "mina@example.com");
      await page.getByText(stage.t("login.error.rate_limited"), { exact: true }).waitFor();
      return page;
    },
    waiting: async ({ open }) => {
      const page = await open("/login", liveAs("never"));
      await page.locator(".login-form[aria-busy=true]").waitFor();
      return page;
    },
    "not reachable": view("/login", "login.unreachable", liveAs({ status: 500, body: {} })),
    "no method": view("/login", "login.none", liveAs({ body: { methods: [] } })),
    "no backend": view("/login", "login.noBackend", { shell: "accountless" }),
    "no company": view("/login", "login.noCompany", { shell: "companyless" }),
    inbox: inbox((page, stage) => codeField(page, stage).waitFor()),
    "wrong code": inbox(async (page, stage) => {
      await codeField(page, stage).fill(WRONG_CODE);
      await page.getByText(stage.t("login.codeTries", { count: 4 })).waitFor();
    }),
    "too many wrong codes": inbox(async (page, stage) => {
      for (const count of [4, 3, 2, 1]) {
        await codeField(page, stage).fill(WRONG_CODE);
        await page.getByText(stage.t("login.codeTries", { count })).waitFor();
        await codeField(page, stage).fill("");
      }
      await codeField(page, stage).fill(WRONG_CODE);
      await page.getByText(stage.t("login.codeClosed")).waitFor();
    }),
    "access that is pending": view("/login", "login.error.access_pending", {
      isSignedIn: true,
      responses: { "/api/v1/token": { status: 403, body: { error_code: "access_pending" } } },
    }),
  },
  callback: {
    finishing: view("/login/callback?platform_auth_code=c", "login.finishing", {
      responses: { "/api/v1/oauth/session": "never" },
    }),
    "another user": view("/login/callback?platform_auth_code=c", ["login.ask", { email: "bo@example.com" }], {
      isSignedIn: true,
      responses: { "/api/v1/oauth/session": { body: tokensOf({ id: "8", email: "bo@example.com", name: "Bo" }) } },
    }),
    "the account after a link": async ({ open, t }) => {
      const page = await open("/login/callback?platform_auth_code=c");
      await page.getByText(t("login.welcome", { email: "mina@example.com" })).waitFor();
      return page;
    },
    ...Object.fromEntries(
      // These codes include one for each kind of action that an error message can offer.
      [
        "access_pending",
        "access_denied",
        "magic_link_invalid",
        "invalid_oauth_state",
        "redirect_not_allowed",
        "something_new",
      ].map((code) => [code, callbackError(code)]),
    ),
  },
};
