import { describe, expect, it } from "vitest";
import { readRelayCredentials } from "../../../../workers/email/delivery/smtp/smtp-credentials";
import { checkPublicHost } from "../../../../workers/kit/net/public-address";
import { OutboundError, safeFetch } from "../../../../workers/kit/net/safe-fetch";
import { Problem } from "../../../../workers/kit/problem";
import { readTarget } from "../../../../workers/kit/webhooks/posting/target";
import { HOSTS, type HostRow, NO_MAIL_HOSTS, resolveInZone as resolve } from "../../../support/net/outbound-addresses";
import { BLOCKED_PORTS, URLS } from "../../../support/net/outbound-urls";

/** Returns the URL that is requested for a target, or the reason for its rejection. */
async function callOf(url: string, allowPrivate = false): Promise<string> {
  const called: string[] = [];
  const wire: typeof fetch = async (input) => {
    called.push(String(input));
    return new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
  };
  const options = { fetch: wire, resolve, timeoutMs: 1000, maxBytes: 100, allowHttp: true, allowPrivate };
  const outcome = await safeFetch(url, {}, options).then(
    (response) => response.status,
    (error: unknown) => (error instanceof OutboundError ? error.reason : Promise.reject(error)),
  );
  if (outcome !== 302) {
    expect(called).toEqual([]);
    return String(outcome);
  }
  expect(called).toHaveLength(1);
  return called[0] ?? "";
}

/** Returns the URL that is stored for a target, or the code of its rejection. */
async function saveResult(url: string, allowPrivate = false): Promise<string> {
  const read = await readTarget(url, { allowPrivate, resolve });
  return read.ok ? read.target.url : read.code;
}

/** Returns the host that is stored for a company's relay, or the code of its rejection. */
async function mailHostOf(host: string): Promise<string> {
  const relay = { host, port: 465, use_ssl: true, username: "u", password: "p" };
  try {
    const { host: stored = "none" } = await readRelayCredentials(relay, { debug: false, resolve });
    return String(stored);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code;
  }
}

const hostOf = (url: string) => new URL(url).hostname.replace(/\.+$/, "");
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");

/** Expects the same verdict on a host when it is checked, saved, called and used as a mail host. */
async function expectVerdict([host, verdict, connected = host]: HostRow): Promise<void> {
  const url = `https://${host}/`;
  const check = await checkPublicHost(host, resolve);
  const [saved, called, mailHost] = [await saveResult(url), await callOf(url), await mailHostOf(host)];
  if (verdict === "public") {
    expect(check).toEqual({ ok: true, host: connected });
    expect([hostOf(saved), hostOf(called), mailHost]).toEqual([connected, connected, connected]);
    return;
  }
  const reason = verdict === "unresolved" ? "unresolved" : "not_public";
  expect(check).toEqual({ ok: false, reason });
  expect(mailHost).toBe("provider_host_not_public");
  expect(called).toBe(verdict === "malformed" ? "target" : reason);
  if (verdict === "unresolved") expect(hostOf(saved)).toBe(hostOf(url));
  else expect(saved).toBe(verdict === "malformed" ? "invalid" : "not_public");
}

it("covers more than 250 hosts, and more than 150 URLs, ports and mail hosts", () => {
  expect(Object.values(HOSTS).flat().length).toBeGreaterThan(250);
  expect(URLS.length + BLOCKED_PORTS.length + NO_MAIL_HOSTS.length).toBeGreaterThan(150);
});

describe.each(Object.entries(HOSTS))("%s: checked, saved, called and used as a mail host", (_group, rows) => {
  it.each(rows.map((row) => ({ row, title: `${JSON.stringify(row[0]).slice(0, 80)} is ${row[1]}` })))(
    "$title",
    async ({ row }) => {
      await expectVerdict(row);
      const unbracketed = withoutBrackets(row[0]);
      if (unbracketed === row[0] || row[1] === "malformed") return;
      expect(await mailHostOf(unbracketed)).toBe(row[1] === "public" ? (row[2] ?? row[0]) : "provider_host_not_public");
    },
  );
});

describe("webhook URLs", () => {
  it.each(URLS.map((row) => ({ row, title: JSON.stringify(row[0]).slice(0, 80) })))(
    "$title gives the expected results when saved, when saved with private targets allowed, and when called",
    async ({ row: [url, save, privateSave, call] }) => {
      expect(await saveResult(url)).toBe(save);
      expect(await saveResult(url, true)).toBe(privateSave);
      const called = await callOf(url);
      if (call !== "called") expect(called).toBe(call);
      else if (save !== "credentials") expect(called).toBe(save);
    },
  );

  it.each(BLOCKED_PORTS)(
    "are rejected when saved with port %i, even when private addresses are allowed",
    async (port) => {
      for (const scheme of ["http", "https"]) {
        expect(await saveResult(`${scheme}://hooks.example.test:${port}/`)).toBe("invalid");
        expect(await saveResult(`${scheme}://127.0.0.1:${port}/`, true)).toBe("invalid");
      }
    },
  );

  it("may have up to 2048 characters", async () => {
    const longest = `https://hooks.example.test/${"a".repeat(2021)}`;
    expect([longest.length, await saveResult(longest), await callOf(longest)]).toEqual([2048, longest, longest]);
    expect([await saveResult(`${longest}a`), await callOf(`${longest}a`)]).toEqual(["invalid", "target"]);
  });

  it("are identified for limits by host and port, with http marked as insecure", async () => {
    const read = (url: string) => readTarget(url, { allowPrivate: false, resolve });
    expect(await read("http://Hooks.example.test.:8080/a#b")).toMatchObject({
      target: { host: "hooks.example.test:8080", isInsecure: true },
    });
    expect(await read("https://hooks.example.test:443/a")).toMatchObject({
      target: { host: "hooks.example.test", isInsecure: false },
    });
  });

  it("need no resolver for literals and reserved names, or when private addresses are allowed", async () => {
    const names: string[] = [];
    const resolveName = async (name: string) => {
      names.push(name);
      return ["93.184.216.34"];
    };
    for (const url of [
      "https://8.8.8.8/",
      "https://0x7f.1/",
      "https://a.localhost/",
      "https://intranet/",
      "https://a_b.test/",
    ]) {
      await readTarget(url, { allowPrivate: false, resolve: resolveName });
    }
    await readTarget("https://hooks.example.test/", { allowPrivate: true, resolve: resolveName });
    expect(names).toEqual([]);
    await readTarget("https://ⓗooks.example.test./", { allowPrivate: false, resolve: resolveName });
    expect(names).toEqual(["hooks.example.test"]);
  });
});

describe("mail hosts", () => {
  it.each(NO_MAIL_HOSTS.map((host) => ({ host, title: JSON.stringify(host) })))(
    "do not include $title",
    async ({ host }) => {
      expect(await mailHostOf(host)).toBe("provider_host_not_public");
      expect(await checkPublicHost(host, resolve)).toEqual({ ok: false, reason: "not_public" });
    },
  );
});
