import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { openSmtpSession } from "../../../workers/email/delivery/smtp/smtp";
import { clock } from "../../../workers/kit/clock";
import { checkPublicHost } from "../../../workers/kit/net/public-address";
import { readTarget } from "../../../workers/kit/webhooks/posting/target";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { deliverNow } from "../../support/email/deliver-now";
import { startDelivery } from "../../support/email/delivery";
import { startEmail } from "../../support/email/email";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";
import { createMail, createSmtpConfig, readRecord } from "../../support/email/provider-fixtures";
import { HOSTS, NO_MAIL_HOSTS, resolveInZone } from "../../support/net/outbound-addresses";

// test/unit/kit/net/outbound-addresses.test.ts tests the rules themselves. These tests run them with the runtime's URL
// parser and sockets.
const { relays } = inject("mailServers");
const PATH = "/api/v1/provider";
const REJECTED = [400, "provider_host_not_public", { "credentials.host": ["not_public"] }];

const realNow = clock.now;
afterEach(() => {
  clock.now = realNow;
  vi.unstubAllGlobals();
});

/** Returns a `fetch` that answers DNS over HTTPS with these addresses for every name, and records the queries. */
function createResolver(addresses: { A: string[]; AAAA: string[] }) {
  const queries: string[] = [];
  const resolve: typeof fetch = async (input) => {
    const { searchParams } = new URL(String(input));
    const type = searchParams.get("type") === "AAAA" ? "AAAA" : "A";
    queries.push(`${searchParams.get("name")} ${type}`);
    const records = addresses[type].map((data) => ({ type: type === "A" ? 1 : 28, data, TTL: 30 }));
    return Response.json({ Status: 0, Answer: records });
  };
  return { queries, addresses, resolve };
}

async function startRelayCompany() {
  const email = await startEmail({ vars: { EMAIL_ALLOW_COMPANY_SMTP: "true" } });
  const company = await startCompany(email);
  const save = (host: string) =>
    send(email, company.owner, {
      method: "PUT",
      path: PATH,
      json: {
        provider: "smtp",
        from_email: "hello@aster.example.com",
        credentials: { host, port: relays.tls, use_ssl: true, username: "mailer", password: "correct" },
      },
    });
  const testSend = () => email.call(`${PATH}/test-send`, { method: "POST", bearer: company.owner });
  return { ...company, save, testSend };
}

describe.each(Object.entries(HOSTS))("the host group %s in the runtime", (_group, rows) => {
  it("is accepted or rejected as the table HOSTS says", async () => {
    for (const [host, verdict, connected = host] of rows) {
      const check = await checkPublicHost(host, resolveInZone);
      const reason = verdict === "unresolved" ? "unresolved" : "not_public";
      expect({ host, check }).toEqual({
        host,
        check: verdict === "public" ? { ok: true, host: connected } : { ok: false, reason },
      });
      const saved = await readTarget(`https://${host}/`, { allowPrivate: false, resolve: resolveInZone });
      const code = verdict === "malformed" ? "invalid" : "not_public";
      const isAccepted = verdict === "public" || verdict === "unresolved";
      expect({ host, saved }).toMatchObject({ host, saved: isAccepted ? { ok: true } : { ok: false, code } });
    }
  });

  it("is rejected at the connection unless the host is public", async () => {
    for (const [host, verdict] of rows) {
      if (verdict === "public") continue;
      const config = createSmtpConfig(relays.plain, { host, checkPublicHost: true });
      const session = openSmtpSession(config, resolveInZone);
      const mail = createMail();
      const outcome = await session.send(mail, { beforeData: async () => true });
      await session.close();
      expect({ host, outcome }).toMatchObject({
        host,
        outcome:
          verdict === "unresolved"
            ? { kind: "retry", code: "provider_unreachable" }
            : { kind: "final", code: "provider_host_not_public" },
      });
      // Most of these hosts resolve to this machine, where a relay listens on this port.
      expect(await readRecord(`mail:${mail.to}`)).toBeNull();
    }
  });
});

describe("the host of a company's relay", () => {
  it("is rejected when saved in any spelling of an address that is not public, or with a reserved or malformed name", async () => {
    const { save } = await startRelayCompany();
    const addressForms = [
      "2130706433",
      "0x7f.1",
      "①②⑦.1",
      "%31%32%37.1",
      "127。0。0。1",
      "[::ffff:7f00:1]",
      "[64:ff9b::7f00:1]",
    ];
    const listed = ["ⓛocalhost", "LOCALHOST..", "relay.local.", "my_relay.example.com", "100.64.0.1", "fe80::1%eth0"];
    for (const host of [...addressForms, ...listed, ...NO_MAIL_HOSTS.slice(0, 12)]) {
      expect({ host, problem: await problemOf(await save(host)) }).toEqual({ host, problem: REJECTED });
    }
  });

  it("is rejected when an IPv4 or IPv6 address is not public, and when no address is found", async () => {
    const { save } = await startRelayCompany();
    const resolver = createResolver({ A: ["93.184.216.34"], AAAA: ["fd00::7"] });
    vi.stubGlobal("fetch", resolver.resolve);
    expect(await problemOf(await save("relay.example.com"))).toEqual(REJECTED);
    expect(resolver.queries).toEqual(["relay.example.com A", "relay.example.com AAAA"]);
    resolver.addresses.A = [];
    resolver.addresses.AAAA = [];
    expect(await problemOf(await save("relay.example.com"))).toEqual(REJECTED);
    vi.stubGlobal("fetch", async () => new Response(null, { status: 503 }));
    expect(await problemOf(await save("relay.example.com"))).toEqual(REJECTED);
  });

  it("is checked again at each connection, so that a name that has become private is rejected", async () => {
    const { companyId, save, testSend } = await startRelayCompany();
    const name = `relay-${companyId}.example.com`;
    const resolver = createResolver({ A: ["93.184.216.34"], AAAA: ["2606:2800:220:1::1"] });
    vi.stubGlobal("fetch", resolver.resolve);
    expect((await save(`ⓡelay-${companyId}.Example.com.`)).status).toBe(200);
    resolver.addresses.A = ["127.0.0.1"];

    expect(await problemOf(await testSend())).toEqual([
      502,
      "provider_test_failed",
      { provider: ["provider_host_not_public"] },
    ]);
    resolver.queries.length = 0;
    const harness = startDelivery({ settings: { allowCompanySmtp: true } });
    const deliver = async () => {
      const id = await storeMessage(companyId, { scope: "company", lane: "transactional" });
      await deliverNow(harness.build({ fetch: resolver.resolve }), [id], "transactional");
      return id;
    };
    const id = await deliver();
    expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "provider_host_not_public" });
    expect(await attemptsOf(id)).toMatchObject([{ outcome: "provider_host_not_public" }]);
    expect(resolver.queries).toEqual([`${name} A`, `${name} AAAA`]);

    // Cached addresses are used during their TTL; afterwards the resolver is queried again.
    expect(await readMessage(await deliver())).toMatchObject({ last_error_code: "provider_host_not_public" });
    expect(resolver.queries).toHaveLength(2);
    harness.advance(30_000);
    resolver.addresses.A = ["93.184.216.34"];
    resolver.addresses.AAAA = ["fd00::7"];
    expect(await readMessage(await deliver())).toMatchObject({ last_error_code: "provider_host_not_public" });
    expect(resolver.queries).toHaveLength(4);
  });

  it("leads to a retry of the message when the resolver is unavailable", async () => {
    const { companyId, save } = await startRelayCompany();
    vi.stubGlobal("fetch", createResolver({ A: ["93.184.216.34"], AAAA: [] }).resolve);
    expect((await save(`silent-${companyId}.example.com`)).status).toBe(200);
    const harness = startDelivery({ settings: { allowCompanySmtp: true } });
    const failingFetch: typeof fetch = async () => new Response(null, { status: 503 });
    const id = await storeMessage(companyId, { scope: "company", lane: "transactional" });
    await deliverNow(harness.build({ fetch: failingFetch }), [id], "transactional");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_unreachable" });
  });
});
