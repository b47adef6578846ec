import { describe, expect, it } from "vitest";
import { problemOf } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { startSignUp, uniqueIp } from "../../support/email/sign-up";
import { createNetwork } from "../../support/net/network";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

describe("Turnstile", () => {
  const VERIFY = "http://127.0.0.1:9/turnstile/siteverify";
  const bindings = { EMAIL_TURNSTILE_VERIFY_URL: VERIFY } as never;
  const fields = { turnstile_site_key: "1x00000000000000000000AA", turnstile_secret: "turnstile-secret" };

  /** Answers as Turnstile does: it accepts the token `good` once, with the right secret. */
  function startTurnstile() {
    const spent = new Set<string>();
    return createNetwork(({ body, headers }) => {
      const sent = new URLSearchParams(body);
      const [secret, response] = [sent.get("secret"), sent.get("response") ?? ""];
      const refuse = (code: string) => Response.json({ success: false, "error-codes": [code] });
      if (!(headers.get("content-type") ?? "application/x-www-form-urlencoded").startsWith("application/x-www-form"))
        return refuse("bad-request");
      if (secret !== "turnstile-secret") return refuse("invalid-input-secret");
      if (spent.has(response)) return refuse("timeout-or-duplicate");
      if (!response.startsWith("good")) return refuse("invalid-input-response");
      spent.add(response);
      return Response.json({ success: true, "error-codes": [], hostname: "shop.example" });
    });
  }

  it("must confirm the visitor when the newsletter has a secret", async () => {
    const { subscribe, mails } = await startSignUp(email, fields);
    const network = startTurnstile();
    const ip = uniqueIp();
    const sign = (turnstile_token?: string) => subscribe({ email: uniqueAddress(), turnstile_token }, { bindings, ip });
    expect((await sign("good-1")).status).toBe(202);
    expect(network.received).toHaveLength(1);
    expect(network.received[0]?.url).toBe(VERIFY);
    expect(Object.fromEntries(new URLSearchParams(network.received[0]?.body))).toEqual({
      secret: "turnstile-secret",
      response: "good-1",
      remoteip: ip,
    });
    for (const token of ["good-1", "bad", "", undefined]) {
      expect(await problemOf(await sign(token))).toEqual([400, "turnstile_failed"]);
    }
    expect(network.received).toHaveLength(3);
    expect(await mails()).toHaveLength(1);
  });

  it.each([
    ["an error status", () => Response.json({ success: true }, { status: 500 })],
    ["a redirect", () => Response.json({ success: true }, { status: 302, headers: { location: VERIFY } })],
    ["an error status for a token", () => Response.json({ success: false, "error-codes": [] }, { status: 429 })],
    ["no JSON", () => new Response("<html>")],
    ["no result", () => Response.json({ ok: 1 })],
    ["a rejected secret", () => Response.json({ success: false, "error-codes": ["invalid-input-secret"] })],
    ["no connection", () => Promise.reject(new TypeError("refused"))],
  ])("is unavailable when it answers with %s", async (_name, answer) => {
    const { subscribe, rows } = await startSignUp(email, fields);
    createNetwork(answer as () => Response);
    const response = await subscribe({ email: uniqueAddress(), turnstile_token: "t" }, { bindings });
    expect(await problemOf(response)).toEqual([503, "turnstile_unavailable"]);
    expect(await rows()).toEqual([]);
  });

  it("is unavailable when it does not answer within five seconds", async () => {
    const { subscribe } = await startSignUp(email, fields);
    createNetwork(() => new Promise<Response>(() => undefined));
    const started = performance.now();
    const response = await subscribe({ email: uniqueAddress(), turnstile_token: "t" }, { bindings });
    expect(await problemOf(response)).toEqual([503, "turnstile_unavailable"]);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("is not asked without a secret", async () => {
    const { subscribe } = await startSignUp(email);
    const network = startTurnstile();
    expect((await subscribe({ email: uniqueAddress() }, { bindings })).status).toBe(202);
    expect(network.received).toEqual([]);
  });

  it.each(["turnstile/siteverify", "ftp://127.0.0.1:9/siteverify", "//127.0.0.1/siteverify"])(
    "has an address that must be a URL, unlike %s",
    async (address) => {
      const { subscribe, rows } = await startSignUp(email, fields);
      const network = startTurnstile();
      const invalid = { EMAIL_TURNSTILE_VERIFY_URL: address } as never;
      const response = await subscribe({ email: uniqueAddress(), turnstile_token: "good-1" }, { bindings: invalid });
      expect(await problemOf(response)).toEqual([503, "service_unavailable"]);
      expect(network.received).toEqual([]);
      expect(await rows()).toEqual([]);
    },
  );
});
