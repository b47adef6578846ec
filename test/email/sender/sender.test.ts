import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { CompanyProviderRow, LaneStateRow } from "../../../db/email/rows";
import { company_providers } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import type { SenderKeys } from "../../../workers/email/delivery/sender/credentials";
import { chooseSender, findPause, isPlatformAddress, otherSender } from "../../../workers/email/delivery/sender/sender";
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

async function choose(lane: Lane, given: Case) {
  const companyId = createCompany();
  if (given.provider !== undefined) {
    const columns = { bulk_from_email: given.bulkFrom ?? "" };
    await storeProvider(companyId, given.provider === "smtp" ? SMTP : API, columns);
    if (given.provider === "unreadable") {
      const unreadable = { credentials_enc: "v1.x.y.z" };
      await updateRows(company_providers, unreadable, eq(company_providers.company_id, companyId));
    }
  }
  const settings: EmailSettings = {
    ...testSettings(),
    platformCompanyIds: new Set(given.isPlatformCompany ? [companyId] : []),
    ...given.settings,
  };
  const choice = await chooseSender(
    {
      lane,
      companyId,
      usePlatformSender: given.usePlatformSender ?? false,
      hasPlatform: given.hasPlatform ?? lane === "auth",
      providerRow: await rowOf(companyId),
    },
    settings,
    keys,
  );
  return choice.ok ? `${choice.sender.scope} ${choice.sender.from.address}` : choice.code;
}

const OWN = "company hello@aster.example";
const PLATFORM = "platform no-reply@platform.example.com";
const PLATFORM_BULK = "platform news@platform.example.com";

describe("the sender of a message that is accepted", () => {
  it.each<[string, Case, string, string, string]>([
    ["a company provider", { provider: "api", bulkFrom: "news@aster.example" }, OWN, OWN, "company news@aster.example"],
    ["a company provider without bulk address", { provider: "api" }, OWN, OWN, "bulk_sender_required"],
    ["the same of a platform company", { provider: "api", isPlatformCompany: true }, OWN, OWN, PLATFORM_BULK],
    [
      "company SMTP that is allowed",
      { provider: "smtp", bulkFrom: "news@aster.example", settings: { allowCompanySmtp: true } },
      OWN,
      OWN,
      "company news@aster.example",
    ],
    ["company SMTP that is off", { provider: "smtp" }, PLATFORM, "company_smtp_disabled", "company_smtp_disabled"],
    ["no row", {}, PLATFORM, "platform_sender_not_allowed", "platform_sender_not_allowed"],
    ["no row, platform company", { isPlatformCompany: true }, PLATFORM, PLATFORM, PLATFORM_BULK],
    [
      "unreadable credentials",
      { provider: "unreadable" },
      PLATFORM,
      "platform_sender_not_allowed",
      "platform_sender_not_allowed",
    ],
    [
      "platform chosen but none",
      { isPlatformCompany: true, settings: { fallbackProvider: "none" } },
      "provider_not_configured",
      "provider_not_configured",
      "provider_not_configured",
    ],
    [
      "platform chosen but without credentials",
      { isPlatformCompany: true, settings: { fallbackProvider: "smtp" } },
      "provider_not_configured",
      "provider_not_configured",
      "provider_not_configured",
    ],
  ])("%s", async (_title, given, auth, transactional, bulk) => {
    expect([await choose("auth", given), await choose("transactional", given), await choose("bulk", given)]).toEqual([
      auth,
      transactional,
      bulk,
    ]);
  });

  it("of mail that lets people in is the company's own, else the platform's", async () => {
    const hasPlatform = true;
    expect(await choose("transactional", { hasPlatform, provider: "api" })).toBe(OWN);
    expect(await choose("transactional", { hasPlatform })).toBe(PLATFORM);
    expect(await choose("transactional", { hasPlatform, provider: "smtp" })).toBe(PLATFORM);
    expect(await choose("transactional", { hasPlatform, provider: "unreadable" })).toBe(PLATFORM);
  });

  it("is the platform when the caller asks for it", async () => {
    expect(await choose("auth", { provider: "api", usePlatformSender: true })).toBe(PLATFORM);
  });
});

describe("the other sender", () => {
  it("is the platform for a company, and the relay and the API for each other", async () => {
    const settings = { ...testSettings(), relay: RELAY };
    const of = async (scope: "company" | "platform", provider: "api" | "smtp", given = settings) => {
      const other = await otherSender({ scope, provider }, "auth", given, keys);
      return other && `${other.scope} ${other.provider}`;
    };
    expect(await of("company", "smtp")).toBe("platform api");
    expect(await of("platform", "api")).toBe("platform smtp");
    expect(await of("platform", "smtp")).toBe("platform api");
    expect(await of("platform", "api", testSettings())).toBeNull();
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
    ["by the credentials in force holds", {}, true],
    ["by other credentials does not", { fingerprint: "old" }, false],
    ["by staff holds", { fingerprint: null }, true],
    ["of the other scope does not", { scope: "platform" }, false],
    ["for everybody holds", { company_id: 0, scope: "", fingerprint: null }, true],
    ["that ended does not", { paused: false }, false],
  ])("%s", (_title, changes, holds) => {
    const found = findPause([{ ...row, ...changes }], { scope: "company", fingerprint: "f" });
    expect(found !== null).toBe(holds);
  });
});

it("a platform address is recognised in any case", () => {
  expect(isPlatformAddress("No-Reply@Platform.example.com", testSettings())).toBe(true);
  expect(isPlatformAddress("hello@aster.example", testSettings())).toBe(false);
  expect(isPlatformAddress("", testSettings())).toBe(false);
});
