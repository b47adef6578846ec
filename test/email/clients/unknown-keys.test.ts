import { describe, expect, it } from "vitest";
import { createCompany, createKey, type EmailHarness, magicLink, startEmail } from "../../support/email/email";

const PATHS = ["/api/v1/send", "/api/v1/send/batch", "/api/v1/events"];
const unknownKey = () => `esk_${crypto.randomUUID()}`;

let lastHost = 0;
/** Returns a network address that no other test uses. */
const uniqueAddress = () => `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}:${++lastHost}::1`;

/** Returns a request body that records whether it was read. */
function watchedBody() {
  let isRead = false;
  const stream = new ReadableStream(
    {
      pull(controller) {
        isRead = true;
        controller.enqueue(new TextEncoder().encode(JSON.stringify(magicLink(createCompany()))));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, isRead: () => isRead };
}

const post = (email: EmailHarness, path: string, bearer: string, address = uniqueAddress()) =>
  email.call(path, { bearer, json: magicLink(createCompany()), headers: { "cf-connecting-ip": address } });

describe("an unknown service key", () => {
  it.each(PATHS)("makes %s run one query and leave the body unread", async (path) => {
    const email = await startEmail();
    const { stream, isRead } = watchedBody();
    const headers = { "content-type": "application/json", "cf-connecting-ip": uniqueAddress() };
    const response = await email.call(path, { method: "POST", bearer: unknownKey(), headers, body: stream });
    expect([response.status, email.acceptTripsOf(response), email.largestBatch(), isRead()]).toEqual([
      401,
      1,
      0,
      false,
    ]);
  });

  it("is rate limited per network address across all paths, without affecting valid keys from that address", async () => {
    const start = () => startEmail({ vars: { EMAIL_WRONG_KEY_RATE_LIMIT: "3/min" } });
    const email = await start();
    const { key } = await createKey();
    const address = uniqueAddress();
    for (const path of PATHS) expect((await post(email, path, unknownKey(), address)).status).toBe(401);
    const rejected = await post(email, "/api/v1/send", unknownKey(), address);
    expect([rejected.status, ((await rejected.json()) as { error_code: string }).error_code]).toEqual([
      429,
      "rate_limited",
    ]);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post(email, "/api/v1/send", unknownKey())).status).toBe(401);
    // The isolate caches the key at the first request and uses the cached key at the second.
    expect((await post(email, "/api/v1/send", key, address)).status).toBe(202);
    expect((await post(email, "/api/v1/send", key, address)).status).toBe(202);
  });
});

describe("a valid service key", () => {
  it("makes one more round trip at its first request in an isolate", async () => {
    const email = await startEmail();
    const { key } = await createKey();
    const trips = async () => email.acceptTripsOf(await post(email, "/api/v1/send", key));
    expect([await trips(), await trips()]).toEqual([3, 2]);
  });

  it("is checked at each request, so that a revoked key is rejected immediately and is unknown afterwards", async () => {
    const email = await startEmail();
    const { key, id } = await createKey();
    expect((await post(email, "/api/v1/send", key)).status).toBe(202);
    const staff = await email.token({ isStaff: true });
    const revoked = await email.call(`/api/v1/service-clients/${id}/revoke`, { method: "POST", bearer: staff });
    expect(revoked.status).toBe(200);
    const [first, second] = [await post(email, "/api/v1/send", key), await post(email, "/api/v1/send", key)];
    expect([first.status, second.status, email.acceptTripsOf(second)]).toEqual([401, 401, 1]);
    expect(second.headers.get("www-authenticate")).toBe("Bearer");
  });
});
