import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { service_clients } from "../../../db/email/schema";
import { bytesToBase64 } from "../../../workers/kit/crypto/encoding";
import { sign } from "../../../workers/kit/webhooks/posting/signing-secret";
import { problemOf } from "../../support/email/admin";
import { createCompany } from "../../support/email/delivery";
import { createKey, startEmail } from "../../support/email/email";
import { deliveriesOf, storedEvents, storeRule } from "../../support/email/events";
import { updateRows } from "../../support/email/rows";
import { attempt, command, OPERATOR_KEY, sendOne, unsubscribe } from "../../support/email/webhooks";
import { createNetwork } from "../../support/net/network";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

describe("a callback of a service client", () => {
  const callbackUrl = "https://caller.example.com/mail";

  async function startCalledBack(flags: Record<string, unknown> = { callback_url: callbackUrl }) {
    const network = createNetwork();
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const line = await command(email, "issue_service_key", {
      service: `s${crypto.randomUUID().slice(0, 8)}`,
      ...flags,
    });
    const text = "line" in line ? line.line : "";
    const [, id, key = "", secret = ""] =
      /^id=(\d+)\nprefix=esk_\S{8}\n(esk_\S{43})(?:\ncallback_secret=(whsec_\S+))?$/.exec(text) ?? [];
    return { network, email, clientId: Number(id), key, secret, line };
  }

  it("contains the webhook's envelope, is signed with the client's secret, and is not sent for unsubscribes", async () => {
    const { network, email, clientId, key, secret } = await startCalledBack();
    expect(key).not.toBe("");
    const company = createCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company, { client_id: clientId });
    await unsubscribe(email, company);
    expect((await deliveriesOf(company)).map(({ kind, rule_id, host }) => [kind, rule_id, host])).toEqual([
      ["webhook", expect.any(Number), "hooks.example.com"],
      ["callback", -(1e12 + clientId), "caller.example.com"],
    ]);
    await attempt(email, company);
    const posts = new Map(network.received.map((post) => [post.url, post]));
    const post = posts.get(callbackUrl);
    if (post === undefined) throw new Error("no callback");
    expect(post.body).toBe(posts.get("https://hooks.example.com/x")?.body);
    const header = (name: string) => post.headers.get(name) ?? "";
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post.body };
    expect(header("webhook-signature")).toBe(await sign([secret], signed));
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const owner = await email.token({ companyId: company, isOwner: true });
    const [webhook, callback] = await deliveriesOf(company);
    expect((await email.call(`/api/v1/actions/deliveries/${webhook?.id}`, { bearer: owner })).status).toBe(200);
    expect((await email.call(`/api/v1/actions/deliveries/${callback?.id}`, { bearer: owner })).status).toBe(404);
  });

  it("uses the client's current URL and secret, and stops when the client is revoked", async () => {
    const { network, email, clientId } = await startCalledBack();
    const company = createCompany();
    await sendOne(company, { client_id: clientId });
    const url = "https://moved.example.com:8443/mail";
    const line = await command(email, "issue_service_key", { id: clientId, callback_url: url });
    const secret = /callback_secret=(\S+)$/.exec("line" in line ? line.line : "")?.[1] ?? "";
    expect(await deliveriesOf(company)).toMatchObject([{ host: "moved.example.com:8443" }]);
    await attempt(email, company);
    const [post] = network.received;
    const header = (name: string) => post?.headers.get(name) ?? "";
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post?.body ?? "" };
    expect([post?.url, header("webhook-signature")]).toEqual([url, await sign([secret], signed)]);

    await sendOne(company, { client_id: clientId });
    const staff = await email.token({ isStaff: true });
    const revoke = { method: "POST", bearer: staff };
    expect((await email.call(`/api/v1/service-clients/${clientId}/revoke`, revoke)).status).toBe(200);
    await attempt(email, company);
    expect(network.received).toHaveLength(1);
    expect(await deliveriesOf(company)).toMatchObject([
      { status: "delivered" },
      { status: "dead", last_error_code: "rule_deleted" },
    ]);
    await sendOne(company, { client_id: clientId });
    expect(await deliveriesOf(company)).toHaveLength(2);
    expect(await command(email, "issue_service_key", { id: clientId, callback_url: url })).toMatchObject({
      exit_code: 1,
      line: expect.stringContaining("revoked"),
    });
  });

  it("is not created for a client without URL or secret", async () => {
    const { clientId } = await startCalledBack({});
    const other = await createKey();
    await updateRows(service_clients, { callback_url: "https://a.example.com/" }, eq(service_clients.id, other.id));
    const company = createCompany();
    await sendOne(company, { client_id: clientId });
    await sendOne(company, { client_id: other.id });
    expect(await deliveriesOf(company)).toEqual([]);
    expect(await storedEvents(company)).toHaveLength(2);
  });

  it.each([
    ["http://caller.example.com/", "https is required"],
    ["https://127.0.0.1/", "not_public"],
    ["https://private.example.com/", "not_public"],
    ["https://u:p@caller.example.com/", "credentials"],
  ])("is rejected for the URL %s", async (url, message) => {
    const network = createNetwork();
    network.names["private.example.com"] = ["10.0.0.1"];
    const email = await startEmail({ vars: { OPERATOR_KEY, ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" } });
    const line = await command(email, "issue_service_key", { service: "x", callback_url: url });
    expect(line).toMatchObject({ exit_code: 1, line: expect.stringContaining(message) });
  });

  it("stays pending while the key that sealed its secret is missing", async () => {
    const { network, clientId } = await startCalledBack();
    const company = createCompany();
    await sendOne(company, { client_id: clientId });
    const other = bytesToBase64(new Uint8Array(32).fill(98));
    await attempt(await startEmail({ vars: { EMAIL_CREDENTIALS_KEY: other } }), company);
    expect(network.received).toEqual([]);
    expect(await deliveriesOf(company)).toMatchObject([{ status: "pending", last_error_code: "secret_unavailable" }]);
  });
});

describe("create_service_key", () => {
  it("prints the id, the prefix and a valid key", async () => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const service = `s${crypto.randomUUID().slice(0, 8)}`;
    const flags = { service, lanes: "auth,transactional", prefixes: "identity.", companies: "7, 8", name: "Label" };
    const line = await command(email, "create_service_key", flags);
    const [, id, key = ""] = /^id=(\d+)\nprefix=esk_\S{8}\n(esk_\S{43})$/.exec("line" in line ? line.line : "") ?? [];
    const staff = await email.token({ isStaff: true });
    const { clients } = await (await email.call("/api/v1/service-clients?limit=200", { bearer: staff })).json<{
      clients: { id: number }[];
    }>();
    expect(clients.find((client) => client.id === Number(id))).toMatchObject({
      service,
      name: "Label",
      allowed_lanes: ["auth", "transactional"],
      allowed_template_prefixes: ["identity."],
      allowed_company_ids: [7, 8],
      has_callback: false,
      active: true,
    });
    expect((await email.call("/api/v1/catalog", { bearer: key })).status).toBe(200);
  });

  it.each([
    [{ service: "Bad Name" }, "service"],
    [{ service: "x", lanes: "fast" }, "lanes"],
    [{ service: "x", prefixes: "é" }, "prefixes"],
    [{ service: "x", companies: "seven" }, "companies"],
  ])("rejects %j with the name of the flag before the command starts", async (flags, name) => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    for (const key of ["create_service_key", "issue_service_key"]) {
      const response = await email.call(`/api/v1/management/${key}`, { bearer: OPERATOR_KEY, json: { flags } });
      expect(await problemOf(response)).toEqual([400, "validation_failed", { [`flags.${name}`]: ["invalid"] }]);
    }
  });

  it("rejects owners, and flags without a service", async () => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const owner = await email.token({ companyId: createCompany(), isOwner: true });
    const call = (bearer: string) =>
      email.call("/api/v1/management/create_service_key", { bearer, json: { flags: {} } });
    expect((await call(owner)).status).toBe(403);
    expect((await call(OPERATOR_KEY)).status).toBe(400);
    const issue = (flags: unknown) =>
      email.call("/api/v1/management/issue_service_key", { bearer: OPERATOR_KEY, json: { flags } });
    expect(await problemOf(await issue({}))).toEqual([400, "validation_failed", { "flags.service": ["required"] }]);
    const idAlone = await issue({ id: 1 });
    expect(await problemOf(idAlone)).toEqual([400, "validation_failed", { "flags.callback_url": ["required"] }]);
  });
});
