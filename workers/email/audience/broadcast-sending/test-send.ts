import type { BroadcastRow } from "../../../../db/email/rows";
import { audienceSchema } from "../../../../schemas/email/audience/audience";
import { MAX_TEST_RECIPIENTS } from "../../../../schemas/email/audience/broadcast-sending";
import type { AudienceMember } from "../../../../schemas/rpc";
import { canonicalAddress } from "../../../../schemas/text/address";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import { type AdminCaller, readBearer } from "../../../kit/auth/caller";
import { parse } from "../../../kit/http/request/parse";
import { invalid } from "../../../kit/problem";
import { fillMail } from "../../authoring/templates/filled-mail";
import { exampleVariables } from "../../content/catalog/examples";
import { BROADCAST_EVENT } from "../../content/event-types/broadcast-event";
import { replyAddress } from "../../delivery/sender/sender";
import { chooseTestSender, sendTestMail } from "../../delivery/sender-settings/test-send";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { selectFullContent } from "../broadcasts/broadcast";
import { readAudiencePage, rejectAudience } from "../recipients/identity-audience";

/** Addresses are looked up in at most this many pages of 1,000 members. */
const MAX_PAGES = 10;

type Member = Pick<AudienceMember, "email" | "first_name" | "last_name">;

/**
 * Returns the members to whom a test goes: those with the user ids and addresses, else the caller. Throws 400 `user_ids:
 * [too_many|unknown]` and `emails: [unknown]`, and the problems of identity.
 */
export async function readTestMembers(
  services: EmailServices,
  companyId: number,
  caller: AdminCaller,
  { user_ids: userIds, emails, request }: { user_ids: number[]; emails: string[]; request: Request },
): Promise<Member[]> {
  if (userIds.length === 0 && emails.length === 0) return [{ email: caller.email, first_name: "", last_name: "" }];
  if (userIds.length + emails.length > MAX_TEST_RECIPIENTS) throw invalid({ user_ids: ["too_many"] });
  const bearer = readBearer(request);
  const picked =
    userIds.length === 0
      ? []
      : await findMembers(services, companyId, bearer, { mode: "pick", user_ids: userIds, find: null });
  if (picked.length < userIds.length) throw invalid({ user_ids: ["unknown"] });
  const wanted = new Set(emails.map(canonicalAddress));
  wanted.delete(canonicalAddress(caller.email));
  const own = wanted.size < emails.length ? [{ email: caller.email, first_name: "", last_name: "" }] : [];
  const found =
    wanted.size === 0
      ? []
      : await findMembers(services, companyId, bearer, { mode: "filter", user_ids: [], find: wanted });
  if (found.length < wanted.size) throw invalid({ emails: ["unknown"] });
  return [...new Map([...picked, ...own, ...found].map((member) => [canonicalAddress(member.email), member])).values()];
}

async function findMembers(
  services: EmailServices,
  companyId: number,
  bearer: string,
  { mode, user_ids, find }: { mode: "pick" | "filter"; user_ids: number[]; find: Set<string> | null },
): Promise<Member[]> {
  const audience = parse(audienceSchema, { mode, user_ids, access: "any" });
  const found: Member[] = [];
  let cursor = "";
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readAudiencePage(services, { companyId, audience }, { bearer }, { cursor });
    if (!page.ok) return rejectAudience(page);
    found.push(...page.users.filter(({ email }) => find === null || find.has(canonicalAddress(email))));
    if (page.nextCursor === null || (find !== null && found.length >= find.size)) break;
    cursor = page.nextCursor;
  }
  return found;
}

/**
 * Sends the published content to members, with their names, and stores the audit entry. Returns the sender. Throws 409 when no
 * sender exists, and 502 `provider_test_failed` when the provider rejects one of the mails; later members then get none.
 */
export async function sendBroadcastTest(
  services: EmailServices,
  caller: AdminCaller,
  { id, company_id: companyId, language }: BroadcastRow,
  members: readonly Member[],
) {
  const content = await services.dbOf(companyId).first(selectFullContent(id));
  if (content === null) throw new Problem("broadcast_not_found");
  const sender = await chooseTestSender(services, companyId, "bulk");
  const examples = exampleVariables(BROADCAST_EVENT, language, services.settings.authLinkHosts);
  const template = { company_id: companyId, language, kind: "broadcast" } as const;
  const changes = { recipients: members.length, scope: sender.scope, provider: sender.provider };
  const audit = { action: "broadcast.tested", target: `broadcast:${id}`, changes };
  await services
    .dbOf(companyId)
    .run(actionEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() }));
  for (const { email: to, first_name, last_name } of members) {
    const names = first_name === "" && last_name === "" ? {} : { first_name, last_name };
    const variables = { ...examples, ...names, recipient_email: to };
    const reader = { to, replyTo: replyAddress(sender) };
    const { subject, html, text } = await fillMail(services, template, BROADCAST_EVENT, content, variables, reader);
    const companyName = String(examples.company_name ?? "");
    await sendTestMail(services, sender, { companyId, companyName, to, subject, html, text, lane: "bulk" });
  }
  return sender;
}
