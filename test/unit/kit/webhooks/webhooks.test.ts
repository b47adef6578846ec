import { createHmac } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../../schemas/email/content/catalog";
import { mailedEvents } from "../../../../schemas/identity/events";
import { readRetryAfter } from "../../../../workers/kit/net/retry-after";
import { readSettings } from "../../../../workers/kit/settings/settings";
import { classify } from "../../../../workers/kit/webhooks/dispatch/settlement";
import { toCanonicalJson, toEnvelopeTime } from "../../../../workers/kit/webhooks/events/envelope";
import { redact } from "../../../../workers/kit/webhooks/events/redaction";
import { describeOutcome, toExcerpt } from "../../../../workers/kit/webhooks/posting/attempt";
import { generateSecret, hintOf, isSecret, sign } from "../../../../workers/kit/webhooks/posting/signing-secret";
import { readTarget } from "../../../../workers/kit/webhooks/posting/target";
import { emailPostTable, webhookTable } from "../../../../workers/kit/webhooks/settings";

const B1 =
  '{"company":{"id":10,"name":"","slug":""},"data":{"path":"docs/résumé.pdf"},"id":"evt-unicode","time":"2026-01-01T00:00:00+00:00","type":"storage.object.uploaded"}';
const B2 =
  '{"company":{"id":1},"data":{"display_name":"Sébastien"},"id":"evt-node-ref","time":"2026-01-01T00:00:00+00:00","type":"hosting.app.created"}';
const WHSEC = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
const VECTORS = [
  [WHSEC, "evt-unicode", B1, "v1,DAjl3IIakeA4VRMvT/kVF4vi0lQNzH7TMPCvLA/HqUQ="],
  ["plain-secret", "evt-unicode", B1, "v1,4jwr09Bhz4PIC8c6zkLD0BmBcFKvs8n4QXUQc+L0mJw="],
  ["secret", "id-1", '{"ok":true}', "v1,wDW8J0vwv4MHFnEJ+6v9tOPL00xYlUe20PZA7JRBbz4="],
  [WHSEC, "evt-node-ref", B2, "v1,dQGpQw2t0jdFHkdOIMyVf/ZNWNRC92zRQUGXqXRWe18="],
] as const;
const timestamp = 1767225600;

describe("the signature of a webhook", () => {
  it("matches the four test vectors and an independent computation", async () => {
    expect(Buffer.byteLength(B1)).toBe(164);
    expect(Buffer.byteLength(B2)).toBe(141);
    for (const [secret, id, body, signature] of VECTORS) {
      expect(await sign([secret], { id, timestamp, body })).toBe(signature);
      const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
      const hmac = createHmac("sha256", key)
        .update(Buffer.from(`${id}.${timestamp}.`))
        .update(Buffer.from(body));
      expect(`v1,${hmac.digest("base64")}`).toBe(signature);
    }
  });

  it("is accepted by the verifiers of Standard Webhooks and Svix, and rejected when a byte differs", async () => {
    const secret = generateSecret();
    const now = Math.floor(Date.now() / 1000);
    const headers = {
      "webhook-id": "evt-1",
      "webhook-timestamp": String(now),
      "webhook-signature": await sign([secret], { id: "evt-1", timestamp: now, body: B1 }),
    };
    expect(new StandardWebhook(secret).verify(B1, headers)).toEqual(JSON.parse(B1));
    expect(() => new SvixWebhook(secret).verify(B1, headers)).not.toThrow();
    expect(() => new StandardWebhook(secret).verify(`${B1} `, headers)).toThrow("No matching signature");
    expect(() => new SvixWebhook(secret).verify(`${B1} `, headers)).toThrow("No matching signature");
  });

  it("contains signatures with the new and then the old secret during an overlap, either of which verifies", async () => {
    const [current, previous] = [generateSecret(), generateSecret()];
    const now = Math.floor(Date.now() / 1000);
    const signature = await sign([current, previous], { id: "evt-2", timestamp: now, body: B2 });
    expect(signature).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    const headers = { "webhook-id": "evt-2", "webhook-timestamp": String(now), "webhook-signature": signature };
    for (const secret of [current, previous]) {
      expect(new StandardWebhook(secret).verify(B2, headers)).toEqual(JSON.parse(B2));
    }
  });
});

describe("webhook secrets", () => {
  it("are generated from 32 random bytes and shown by four characters, or by none when they are short", () => {
    expect(generateSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(generateSecret()).not.toBe(generateSecret());
    expect(hintOf("twelve-chars")).toBe("hars");
    expect(hintOf("eleven-char")).toBe("****");
  });

  it.each(["s", "x".repeat(256), WHSEC, "whsec_AA==", "whsec-not-the-prefix"])(
    "are accepted with the value %j",
    (secret) => {
      expect(isSecret(secret)).toBe(true);
    },
  );

  it.each(["", "x".repeat(257), "whsec_", "whsec_A", "whsec_AAA", "whsec_AB==", "whsec_AA=A", "whsec_A*==", "\ud800"])(
    "are rejected with the value %j",
    (secret) => {
      expect(isSecret(secret)).toBe(false);
    },
  );
});

describe("the bytes of a webhook envelope", () => {
  it("are compact JSON with keys sorted at every depth and non-ASCII characters unescaped", () => {
    const value = { b: [{ z: 1, a: 'é\u2028\n"' }, null], a: { "10": true, "9": undefined, aa: 1.5, a: {} }, Z: "ü" };
    expect(toCanonicalJson(value)).toBe(
      '{"Z":"ü","a":{"10":true,"a":{},"aa":1.5},"b":[{"a":"é\u2028\\n\\"","z":1},null]}',
    );
    expect(toEnvelopeTime(1767225600007)).toBe("2026-01-01T00:00:00.007+00:00");
  });
});

describe("redaction of event data", () => {
  it("removes secret-like keys in every spelling, at every depth", () => {
    const keys =
      "token password passwd pwd secret client_secret api_key apikey authorization authorization_header credential credentials private_key magic_link magic_link_url sign_in_url sign_in_link signin_url signin_link access_token refresh_tokens webhook_secret db_password x_api_key apiKey Access-Token";
    const data = Object.fromEntries(keys.split(" ").map((key) => [key, "hidden"]));
    expect(redact({ ...data, list: [{ ...data, kept: 1 }] })).toEqual({ list: [{ kept: 1 }] });
  });

  it("keeps keys that only look similar", () => {
    const data = { token_id: 1, token_name: "a", token_prefix: "pst_", secretary: "b", passwords: 2, authorized: true };
    expect(redact(data)).toEqual(data);
  });

  it.each([
    "https://id.example.com/api/v1/magic-link/verify",
    "https://app.example.com/sign-in?x=1",
    "https://app.example.com/a/LOGIN/callback",
    "https://app.example.com/?token=abc",
    "https://app.example.com/?a=1&access_token=abc",
    "https://app.example.com/#token=abc",
    "https://app.example.com/#/open?api_key=abc",
    "https://app.example.com/?clientSecret=abc",
    "custom+scheme://x/?password=1",
  ])("removes the URL %s", (url) => {
    expect(redact({ url, list: [url, "kept"] })).toEqual({ list: ["kept"] });
  });

  it.each(["https://app.example.com/tokens/list?page=2", "the password is token=1", "https://app.example.com/blogin"])(
    "keeps %s",
    (text) => {
      expect(redact({ text })).toEqual({ text });
    },
  );
});

describe("the next state after a webhook response", () => {
  const now = Date.UTC(2026, 9, 7, 10, 0, 0);
  const classifyStatus = (status: number, retryAfter: string | null = null) =>
    classify({ kind: "answer", status, retryAfter, excerpt: "", durationMs: 1 }, now);

  it("is defined for every status from 200 to 599", () => {
    const dead = [400, 401, 403, 405, 410, 413, 422];
    for (let status = 200; status < 600; status++) {
      const expected =
        status < 300
          ? { next: "delivered", code: null }
          : status < 400
            ? { next: "dead", code: "redirect_blocked" }
            : { next: dead.includes(status) ? "dead" : "retry", code: "http_status" };
      expect(classifyStatus(status), String(status)).toEqual({ ...expected, waitMs: null });
    }
  });

  it("is a retry without a response, and final for a target that is not public", () => {
    for (const code of ["timeout", "connection_error", "dns_error"] as const) {
      expect(classify({ kind: "none", code, durationMs: 1 }, now)).toEqual({ next: "retry", code, waitMs: null });
    }
    expect(classify({ kind: "none", code: "ssrf_blocked", durationMs: 1 }, now).next).toBe("dead");
  });

  it.each([
    ["7", 7000],
    ["0", 1000],
    ["999999999999999999999999", 3_600_000],
    ["Wed, 07 Oct 2026 10:02:00 GMT", 120_000],
    ["Wednesday, 07-Oct-26 10:02:00 GMT", 120_000],
    ["Wed Oct  7 10:02:00 2026", 120_000],
    ["Wed, 07 Oct 2026 09:00:00 GMT", 1000],
    ["Thu, 08 Oct 2026 10:00:00 GMT", 3_600_000],
    ["Wed, 32 Oct 2026 10:02:00 GMT", null],
    ["Wed, 07 Foo 2026 10:02:00 GMT", null],
    ["2026-10-07T10:02:00Z", null],
    ["-5", null],
    ["1.5", null],
    ["soon", null],
    ["", null],
  ])("waits for Retry-After %j on 429 and 503, and on no other status", (value, waitMs) => {
    expect(classifyStatus(429, value).waitMs).toBe(waitMs);
    expect(classifyStatus(503, value).waitMs).toBe(waitMs);
    expect(classifyStatus(500, value).waitMs).toBeNull();
    expect(classifyStatus(413, value).waitMs).toBeNull();
  });

  it("interprets a two-digit year as the nearest year", () => {
    expect(readRetryAfter("Monday, 07-Oct-99 10:00:00 GMT", now)).toBe(0);
  });
});

describe("the stored excerpt of a response", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it("is at most 512 bytes of valid UTF-8, truncated between characters", () => {
    const excerpt = toExcerpt(bytes("é".repeat(400)).subarray(0, 511), []);
    expect(bytes(excerpt).length).toBeLessThanOrEqual(512);
    expect(toExcerpt(bytes(`a${"é".repeat(400)}`).subarray(0, 512), [])).toBe(`a${"é".repeat(255)}`);
    expect(bytes(toExcerpt(new Uint8Array(512).fill(0xff), [])).length).toBeLessThanOrEqual(512);
  });

  it("contains no secret, whether complete or truncated at the end", () => {
    const hidden = ["Bearer abcdef-123456", "abcdef-123456", "plain-secret"];
    expect(toExcerpt(bytes("got Bearer abcdef-123456 and plain-secret."), hidden)).toBe(
      "got [Filtered] and [Filtered].",
    );
    expect(toExcerpt(bytes("only abcdef-123456"), hidden)).toBe("only [Filtered]");
    expect(toExcerpt(bytes("cut plain-sec"), hidden)).toBe("cut [Filtered]");
  });

  it("is one line of at most 600 characters", () => {
    const outcome = { kind: "answer" as const, status: 500, retryAfter: null, excerpt: "x".repeat(900), durationMs: 1 };
    expect(describeOutcome(outcome)).toBe(`HTTP 500: ${"x".repeat(590)}`);
    expect(describeOutcome({ ...outcome, excerpt: "" })).toBe("HTTP 500:");
  });
});

describe("the target of a webhook rule", () => {
  const read = async (url: string, allowPrivate = false) => {
    const result = await readTarget(url, { allowPrivate, resolve: async (name) => ADDRESSES[name] ?? [] });
    return result.ok ? result.target : result.code;
  };
  const ADDRESSES: Record<string, string[]> = {
    "hooks.example.com": ["93.184.216.34"],
    "mixed.example.com": ["93.184.216.34", "10.0.0.1"],
  };

  it("is stored without fragment, as the URL parser normalizes it, with the host for the limits", async () => {
    expect(await read("HTTPS://Hooks.Example.com/a?b=1#c")).toEqual({
      url: "https://hooks.example.com/a?b=1",
      host: "hooks.example.com",
      isInsecure: false,
    });
    expect(await read("http://hooks.example.com.:8080")).toMatchObject({
      host: "hooks.example.com:8080",
      isInsecure: true,
    });
    expect(await read("https://unknown.example.com/")).toMatchObject({ host: "unknown.example.com" });
    expect(await read("http://under_score/", true)).toMatchObject({ host: "under_score" });
  });

  it.each([
    ["", "required"],
    ["  ", "required"],
    ["hooks.example.com", "invalid"],
    ["ftp://hooks.example.com/", "invalid"],
    ["https://hooks.example.com:0/", "invalid"],
    ["http://hooks.example.com:22/", "invalid"],
    ["http://hooks.example.com:6667/", "invalid"],
    [`https://hooks.example.com/${"x".repeat(2048)}`, "invalid"],
    ["https://user@hooks.example.com/", "credentials"],
    ["https://:pass@hooks.example.com/", "credentials"],
    ["https://@hooks.example.com/", "credentials"],
    ["https://mixed.example.com/", "not_public"],
    ["http://2130706433/", "not_public"],
    ["http://0x7f.1/", "not_public"],
    ["http://[::ffff:10.0.0.1]/", "not_public"],
    ["http://LOCALHOST./", "not_public"],
    ["http://①②⑦.0.0.1/", "not_public"],
    ["http://intranet/", "not_public"],
  ])("is rejected for %j", async (url, code) => {
    expect(await read(url)).toBe(code);
  });

  it("may be private when allowed, but not malformed", async () => {
    expect(await read("http://127.0.0.1:3000/x", true)).toMatchObject({ host: "127.0.0.1:3000" });
    expect(await read("https://user@127.0.0.1/", true)).toBe("credentials");
  });
});

describe("webhook settings", () => {
  const table = { ...webhookTable, email: emailPostTable };

  it("have their documented defaults, and require a key in deployments", () => {
    expect(readSettings(table, { DEBUG: "true" })).toMatchObject({
      leaseMs: 120_000,
      timeoutMs: 5000,
      workers: 4,
      allowPrivate: false,
      maxAttempts: 8,
      perRule: 8,
      perHost: 16,
      fanout: 2,
      dnsResolverUrl: "https://cloudflare-dns.com/dns-query",
      isSync: false,
      email: { url: null, key: "", allowPrivate: false },
    });
    expect(() => readSettings(table, {})).toThrow("ACTIONS_ENCRYPTION_KEY");
    expect(() => readSettings(table, { ACTIONS_WEBHOOK_TIMEOUT_SECONDS: "31", DEBUG: "true" })).toThrow(
      "invalid setting: ACTIONS_WEBHOOK_TIMEOUT_SECONDS, allowed: an integer from 1 to 30",
    );
  });
});

describe("email posts of identity", () => {
  it("include the event types of identity's catalog except those that identity mails directly", () => {
    const directly = [
      "identity.auth.magic_link.requested",
      "identity.auth.login.new_device_detected",
      "identity.user.invited",
      "identity.user.invitation_revoked",
      "identity.action_rule.failing",
    ];
    const catalogTypes = CATALOG_EVENTS.filter(({ service }) => service === "identity").map(
      ({ event_type }) => event_type,
    );
    const expected = catalogTypes.filter(
      (type) => !directly.includes(type) && !type.startsWith("identity.membership."),
    );
    expect([...mailedEvents].sort()).toEqual([...expected].sort());
  });
});
