import { expect, it } from "vitest";
import { openBench } from "../support/cloudflare/deployments.ts";

const people = ["--yes", "--company", "Aster Labs", "--owner", "owner@example.com"];

it("sends with Cloudflare's Email Service by default", async (context) => {
  const bench = await openBench(context);
  const { state } = bench.cloudflare;
  await bench.run(people);
  expect(state.sendingDomains).toMatchObject([{ name: "example.com", enabled: true }]);
  const bindings = state.scripts.get("platform-email")?.versions.at(-1)?.metadata.bindings;
  expect(bindings).toContainEqual({ type: "send_email", name: "SEND_EMAIL" });
  expect(bindings).toContainEqual({ type: "plain_text", name: "EMAIL_PLATFORM_TRANSPORT", text: "cloudflare" });
  const queue = state.queues.find(({ queue_name }) => queue_name === "email-events");
  expect(queue?.consumers).toMatchObject([{ script_name: "platform-email", dead_letter_queue: "email-events-dead" }]);
  expect(state.subscriptions).toMatchObject([
    {
      source: { type: "email.sending", zone_id: state.zone.id, domain: "example.com" },
      destination: { type: "queues.queue", queue_id: queue?.queue_id },
    },
  ]);
  bench.cloudflare.heal();
  await bench.run(["--yes"]);
  expect(bench.cloudflare.changes).toEqual([]);
  state.sendingDomains.length = 0;
  await bench.run(["--check"]);
  expect(bench.lines).toContain("  Cloudflare does not send for example.com. Run the deployment again.");
});

it("subscribes again after the sender domain or the subscription has changed", async (context) => {
  const bench = await openBench(context);
  const { state } = bench.cloudflare;
  await bench.run(people);
  await bench.run(["--yes", "--from", "no-reply@mail.example.com"]);
  expect(state.sendingDomains.map(({ name }) => name)).toEqual(["example.com", "mail.example.com"]);
  expect(state.subscriptions).toMatchObject([{ name: "email-events", source: { domain: "mail.example.com" } }]);
  for (const change of [{ enabled: false }, { events: ["message.delivered"] }]) {
    Object.assign(state.subscriptions[0] ?? {}, change);
    await bench.run(["--check"]);
    expect(bench.lines).toContain(
      "  The service does not learn which mails of mail.example.com were delivered. Run the deployment again.",
    );
    await bench.run(["--yes"]);
    expect(state.subscriptions).toMatchObject([{ enabled: true, events: expect.arrayContaining(["message.bounced"]) }]);
  }
});

it("deletes the subscription with the deployment", async (context) => {
  const bench = await openBench(context);
  await bench.run(people);
  await bench.run(["--destroy", "--yes", "--name", "platform"]);
  expect(bench.cloudflare.state.subscriptions).toEqual([]);
  expect(bench.cloudflare.state.queues).toEqual([]);
});

it("names the permission for the sender domain, and continues", async (context) => {
  const bench = await openBench(context);
  const pattern = /POST .*\/email\/sending\/subdomains$/;
  bench.cloudflare.state.sendingDomains.push({ id: "other", name: "news.example.com", enabled: true });
  bench.cloudflare.faults.push({ pattern, times: 9, status: 403, code: 10000, message: "Authentication error" });
  await expect(bench.run(people)).rejects.toThrow('the permission "Zone, Email Sending, Edit"');
  bench.cloudflare.faults.length = 0;
  await bench.run(["--yes"]);
  expect(bench.cloudflare.state.sendingDomains.map(({ name }) => name)).toEqual(["news.example.com", "example.com"]);
});

it("rejects a sender outside of the domain", async (context) => {
  const bench = await openBench(context);
  await expect(bench.run([...people, "--from", "hello@other.example"])).rejects.toThrow(
    "--from other.example is not in the domain example.com.",
  );
});
