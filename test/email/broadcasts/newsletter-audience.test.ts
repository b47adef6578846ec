import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { subscribers, unsubscribes } from "../../../db/email/schema";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { startBroadcasts } from "../../support/email/broadcast-steps";
import { testKeys } from "../../support/email/delivery";
import { everyMember } from "../../support/email/draft-broadcasts";
import { hashOf, storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { insertRow, insertRows, suppressHash, updateRows } from "../../support/email/rows";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

it("mails the confirmed subscribers of a newsletter without identity, and skips those who unsubscribe meanwhile", async () => {
  const broadcasts = await startBroadcasts();
  const { companyId } = broadcasts;
  const list = await storeNewsletter(companyId);
  await Promise.all(["ada", "bo", "cy", "dee"].map((name) => storeSubscriber(list, `${name}@example.com`)));
  await storeSubscriber(list, "pending@example.com", { status: "pending" });
  const other = await storeNewsletter(companyId);
  await storeSubscriber(other, "other@example.com");
  const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
  const id = await broadcasts.store({ audience, list_id: list.id, bearer_enc: null, bearer_expires_at: null });
  const unsubscribed = await hashOf("bo@example.com");
  const row = { company_id: companyId, category: `list-${list.id}`, source: "page", created_at: 1 };
  await insertRow(unsubscribes, { ...row, email_hmac: unsubscribed });
  await updateRows(subscribers, { status: "unsubscribed" }, eq(subscribers.email_hmac, await hashOf("cy@example.com")));
  const ended = await broadcasts.finish(id);
  expect(ended).toMatchObject({ state: "sent", messages: 2, skipped_unsubscribed: 1 });
  expect(broadcasts.calls.map(({ mail }) => mail.to[0]).sort()).toEqual(["ada@example.com", "dee@example.com"]);
  expect(broadcasts.identity.audienceRequests).toEqual([]);
  const [message] = await broadcasts.messagesOf(id);
  expect(message).toMatchObject({ category: `list-${list.id}`, list_id: list.id, to_user_id: null });
});

it("mails a newsletter that was confirmed after all bulk mail was stopped, and none that was confirmed before", async () => {
  const broadcasts = await startBroadcasts();
  const { companyId } = broadcasts;
  const list = await storeNewsletter(companyId);
  await storeSubscriber(list, "before@example.com", { confirmed_at: 1000 });
  await storeSubscriber(list, "after@example.com", { confirmed_at: 3000 });
  for (const name of ["before", "after"]) {
    const row = { company_id: companyId, category: "bulk", source: "page", created_at: 2000 };
    await insertRow(unsubscribes, { ...row, email_hmac: await hashOf(`${name}@example.com`) });
  }
  const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
  const id = await broadcasts.store({ audience, list_id: list.id, bearer_enc: null, bearer_expires_at: null });
  expect(await broadcasts.finish(id)).toMatchObject({ state: "sent", messages: 1, skipped_unsubscribed: 1 });
  expect(broadcasts.calls.map(({ mail }) => mail.to[0])).toEqual(["after@example.com"]);
});

it("mails nobody who was blocked under the new hash of the address, after a rotation of the pepper", async () => {
  const broadcasts = await startBroadcasts();
  const { companyId } = broadcasts;
  const list = await storeNewsletter(companyId);
  await Promise.all(["ada", "bo", "cy"].map((name) => storeSubscriber(list, `${name}@example.com`)));
  const keys = await testKeys();
  const pepper = new Uint8Array(32).fill(7);
  const newHashOf = (name: string) => hashAddress(pepper, `${name}@example.com`);
  await suppressHash(companyId, await newHashOf("bo"), { reason: "manual" });
  const row = { company_id: companyId, category: "bulk", source: "provider", created_at: 9 };
  await insertRow(unsubscribes, { ...row, email_hmac: await newHashOf("cy") });
  const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
  const id = await broadcasts.store({ audience, list_id: list.id, bearer_enc: null, bearer_expires_at: null });
  const rotated = broadcasts.build({ keys: async () => ({ ...keys, peppers: [pepper, ...keys.peppers] }) });
  const ended = await broadcasts.finish(id, rotated);
  expect(ended).toMatchObject({ state: "sent", messages: 1, skipped_unsubscribed: 1, skipped_suppressed: 1 });
  expect(broadcasts.calls.map(({ mail }) => mail.to[0])).toEqual(["ada@example.com"]);
});

it("sends no created message whose address was blocked under the new hash, after a rotation of the pepper", async () => {
  const broadcasts = await startBroadcasts();
  const { companyId } = broadcasts;
  const list = await storeNewsletter(companyId);
  for (const name of ["ada", "bo", "cy"]) await storeSubscriber(list, `${name}@example.com`);
  const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
  const id = await broadcasts.store({ audience, list_id: list.id, bearer_enc: null, bearer_expires_at: null });
  await broadcasts.step(id);
  expect(await broadcasts.row(id)).toMatchObject({ state: "sending", messages: 3 });
  const keys = await testKeys();
  const pepper = new Uint8Array(32).fill(7);
  const newHashOf = (name: string) => hashAddress(pepper, `${name}@example.com`);
  await suppressHash(companyId, await newHashOf("bo"), { reason: "manual" });
  const row = { company_id: companyId, category: `list-${list.id}`, source: "page", created_at: 9 } as const;
  await insertRow(unsubscribes, { ...row, email_hmac: await newHashOf("cy") });
  const rotated = broadcasts.build({ keys: async () => ({ ...keys, peppers: [pepper, ...keys.peppers] }) });
  expect((await broadcasts.finish(id, rotated)).state).toBe("sent");
  expect(broadcasts.calls.map(({ mail }) => mail.to[0])).toEqual(["ada@example.com"]);
  const ended = (await broadcasts.messagesOf(id)).map(({ status, last_error_code }) => [status, last_error_code]);
  expect(ended.filter(([status]) => status !== "sent").sort()).toEqual([
    ["suppressed", "recipient_suppressed"],
    ["suppressed", "unsubscribed"],
  ]);
});

it("reads more than a thousand subscribers in ranges", async () => {
  const broadcasts = await startBroadcasts();
  const list = await storeNewsletter(broadcasts.companyId);
  const first = await storeSubscriber(list, "first@example.com");
  const copies = Array.from({ length: 1500 }, (_, index) => {
    const { id: _id, ...columns } = first;
    return { ...columns, email_hmac: index.toString(16).padStart(64, "0") };
  });
  await insertRows(subscribers, copies);
  const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
  const id = await broadcasts.store({ audience, list_id: list.id, bearer_enc: null, bearer_expires_at: null });
  await broadcasts.step(id);
  const { pending, messages } = await broadcasts.row(id);
  expect(pending + messages).toBe(1501);
});
