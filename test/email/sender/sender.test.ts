import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { CompanyProviderRow, LaneStateRow } from "../../../db/email/rows";
import { company_providers } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import type { TransportName } from "../../../schemas/email/delivery/transports";
import type { SenderKeys } from "../../../workers/email/delivery/sender/credentials";
import {
  chooseSender,
  findPause,
  isPlatformAddress,
  otherSender,
  type Scope,
} from "../../../workers/email/delivery/sender/sender";
import type { EmailSettings } from "../../../workers/email/settings";
import { createCompany, storeProvider, testKeys, testSettings } from "../../support/email/delivery";
import { readRows, updateRows } from "../../support/email/rows";

const API = { kind: "api", api_key: "company-key" } as const;
const SMTP = {
  kind: "smtp",
  host: "mail.aster.example",
  port: 587,
  username: "u",
  password: "p",
  use_tls: true,
  use_ssl: false,
} as const;
const RELAY = { host: "relay.example", port: 25, username: "", password: "", useTls: false, useSsl: false };

let keys: SenderKeys;
beforeEach(async () => {
  keys = await testKeys();
});

async function rowOf(companyId: number): Promise<CompanyProviderRow | null> {
  const [row = null] = await readRows(company_providers, eq(company_providers.company_id, companyId));
  return row;
}

type Case = {
  provider?: "api" | "smtp" | "unreadable";
  bulkFrom?: string;
  isPlatformCompany?: boolean;
  usePlatformSender?: boolean;
  hasPlatform?: boolean;
  settings?: Partial<EmailSettings>;
};

async function choose(lane: Lane, testCase: Case) {
  const companyId = createCompany();
  if (testCase.provider !== undefined) {
    const columns = { bulk_from_email: testCase.bulkFrom ?? "" };
    await storeProvider(companyId, testCase.provider === "smtp" ? SMTP : API, columns);
    if (testCase.provider === "unreadable") {
      const unreadable = { credentials_enc: "v1.x.y.z" };
      await updateRows(company_providers, unreadable, eq(company_providers.company_id, companyId));
    }
  }
  const settings: EmailSettings = {
    ...testSettings(),
    platformCompanyIds: new Set(testCase.isPlatformCompany ? [companyId] : []),
    ...testCase.settings,
  };
  const choice = await chooseSender(
    {
      lane,
      companyId,
      usePlatformSender: testCase.usePlatformSender ?? false,
      hasPlatform: testCase.hasPlatform ?? lane === "auth",
      providerRow: await rowOf(companyId),
    },
    settings,
    keys,
  );
  return choice.ok ? `${choice.sender.scope} ${choice.sender.from.address}` : choice.code;
}

const COMPANY = "company hello@aster.example";
const PLATFORM = "platform no-reply@platform.example.com";
const PLATFORM_BULK = "platform news@platform.example.com";

describe("the sender of an accepted message", () => {
  it.each<[string, Case, string, string, string]>([
    [
      "is a company provider",
      { provider: "api", bulkFrom: "news@aster.example" },
      COMPANY,
      COMPANY,
      "company news@aster.example",
    ],
    ["is a company provider without bulk address", { provider: "api" }, COMPANY, COMPANY, "bulk_sender_required"],
    [
      "is a company provider of a platform company",
      { provider: "api", isPlatformCompany: true },
      COMPANY,
      COMPANY,
      PLATFORM_BULK,
    ],
    [
      "is company SMTP when allowed",
      { provider: "smtp", bulkFrom: "news@aster.example", settings: { allowCompanySmtp: true } },
      COMPANY,
      COMPANY,
      "company news@aster.example",
    ],
    [
      "is not company SMTP when turned off",
      { provider: "smtp" },
      PLATFORM,
      "company_smtp_disabled",
      "company_smtp_disabled",
    ],
    [
      "is the platform for auth mail without a company provider",
      {},
      PLATFORM,
      "platform_sender_not_allowed",
      "platform_sender_not_allowed",
    ],
    [
      "is the platform for all mail of a platform company",
      { isPlatformCompany: true },
      PLATFORM,
      PLATFORM,
      PLATFORM_BULK,
    ],
    [
      "is the platform for auth mail when the company's credentials are unreadable",
      { provider: "unreadable" },
      PLATFORM,
      "platform_sender_not_allowed",
      "platform_sender_not_allowed",
    ],
    [
      "is missing when the platform has no provider",
      { isPlatformCompany: true, settings: { platformTransport: "none" } },
      "provider_not_configured",
      "provider_not_configured",
      "provider_not_configured",
    ],
    [
      "is missing when the platform has no credentials",
      { isPlatformCompany: true, settings: { platformTransport: "smtp" } },
      "provider_not_configured",
      "provider_not_configured",
      "provider_not_configured",
    ],
    [
      "is the platform by Cloudflare, except for bulk mail",
      { isPlatformCompany: true, settings: { platformTransport: "cloudflare" } },
      PLATFORM,
      PLATFORM,
      "bulk_sender_required",
    ],
    [
      "is a company provider for bulk mail that Cloudflare does not send",
      {
        provider: "api",
        bulkFrom: "news@aster.example",
        isPlatformCompany: true,
        settings: { platformTransport: "cloudflare" },
      },
      COMPANY,
      COMPANY,
      "company news@aster.example",
    ],
    [
      "is missing when the platform has no binding of Cloudflare's Email Service",
      { isPlatformCompany: true, settings: { platformTransport: "cloudflare", sendEmail: null } },
      "provider_not_configured",
      "provider_not_configured",
      "provider_not_configured",
    ],
  ])("%s", async (_title, testCase, auth, transactional, bulk) => {
    expect([
      await choose("auth", testCase),
      await choose("transactional", testCase),
      await choose("bulk", testCase),
    ]).toEqual([auth, transactional, bulk]);
  });

  it("is the company for membership mail, or the platform if the company has no provider", async () => {
    const hasPlatform = true;
    expect(await choose("transactional", { hasPlatform, provider: "api" })).toBe(COMPANY);
    expect(await choose("transactional", { hasPlatform })).toBe(PLATFORM);
    expect(await choose("transactional", { hasPlatform, provider: "smtp" })).toBe(PLATFORM);
    expect(await choose("transactional", { hasPlatform, provider: "unreadable" })).toBe(PLATFORM);
  });

  it("is the platform when the caller requests it", async () => {
    expect(await choose("auth", { provider: "api", usePlatformSender: true })).toBe(PLATFORM);
  });
});

describe("the other sender", () => {
  it("is the platform for a company's provider, and the relay and the API for each other", async () => {
    const settings = { ...testSettings(), relay: RELAY };
    const otherOf = async (scope: Scope, provider: TransportName, chosenSettings = settings) => {
      const other = await otherSender({ scope, provider }, "auth", chosenSettings, keys);
      return other && `${other.scope} ${other.provider}`;
    };
    expect(await otherOf("company", "smtp")).toBe("platform api");
    expect(await otherOf("platform", "api")).toBe("platform smtp");
    expect(await otherOf("platform", "smtp")).toBe("platform api");
    expect(await otherOf("platform", "api", testSettings())).toBeNull();
    const byCloudflare = { ...testSettings(), platformTransport: "cloudflare" as const };
    expect(await otherOf("company", "api", byCloudflare)).toBe("platform cloudflare");
    expect(await otherOf("platform", "cloudflare", byCloudflare)).toBe("platform api");
  });
});

describe("a pause", () => {
  const row: LaneStateRow = {
    lane: "auth",
    company_id: 5,
    scope: "company",
    paused: true,
    reason: "",
    fingerprint: "f",
    paused_at: 0,
    paused_by: null,
  };
  it.each<[string, Partial<LaneStateRow>, boolean]>([
    ["for rejected credentials applies while they are current", {}, true],
    ["for rejected credentials does not apply once they are replaced", { fingerprint: "old" }, false],
    ["by staff applies", { fingerprint: null }, true],
    ["of the other scope does not apply", { scope: "platform" }, false],
    ["for all companies applies", { company_id: 0, scope: "", fingerprint: null }, true],
    ["that ended does not apply", { paused: false }, false],
  ])("%s", (_title, changes, applies) => {
    const pause = findPause([{ ...row, ...changes }], { scope: "company", fingerprint: "f" });
    expect(pause !== null).toBe(applies);
  });
});

it("recognizes a platform address regardless of case", () => {
  expect(isPlatformAddress("No-Reply@Platform.example.com", testSettings())).toBe(true);
  expect(isPlatformAddress("hello@aster.example", testSettings())).toBe(false);
  expect(isPlatformAddress("", testSettings())).toBe(false);
});
