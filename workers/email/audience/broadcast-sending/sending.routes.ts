import {
  audiencePreviewInputSchema,
  audiencePreviewSchema,
  broadcastChecksSchema,
  broadcastSendSchema,
  broadcastTestSchema,
  broadcastTestSentSchema,
} from "../../../../schemas/email/audience/broadcast-sending";
import { broadcastSchema } from "../../../../schemas/email/audience/broadcasts";
import { readBearer } from "../../../kit/auth/caller";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { limitTestSend } from "../../delivery/sender-settings/test-send";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { openBroadcast, presentOpened, reopenBroadcast, selectFullContent } from "../broadcasts/broadcast";
import { requireKnownList } from "../broadcasts/broadcast-input";
import { broadcastRoute } from "../broadcasts/broadcast-route";
import { openAudience } from "../recipients/seal";
import { countRecipients, previewAudience, requireTokenOfCompany } from "./audience-split";
import { checksOf } from "./checks";
import { moveBroadcast, readSendAt, sendBroadcast } from "./sending";
import { findDesignDocument } from "./sending.store";
import { readTestMembers, sendBroadcastTest } from "./test-send";

const PATH = "/api/v1/broadcasts/{id}";
const audienceErrors = ["identity_not_configured", "identity_unavailable"] as const;
const senderErrors = [
  ...(["bulk_sender_required", "company_smtp_disabled"] as const),
  ...(["platform_sender_not_allowed", "provider_not_configured"] as const),
] as const;

/** Mounts the routes that preview, check, test, send, pause, resume and cancel broadcasts. */
export function mountSending({ call }: EmailService): void {
  const response = jsonResponse(broadcastSchema, "The broadcast");
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/preview`,
      method: "post",
      summary: "Count the recipients of an audience, and those that get no mail, without sending or storing anything",
      body: {
        schema: audiencePreviewInputSchema,
        optional: true,
        read: async (raw, { services, row, caller }) => {
          requireTokenOfCompany(caller.companyId, row.company_id);
          const { audience = await openAudience(row, await services.keys()) } = parse(audiencePreviewInputSchema, raw);
          await requireKnownList(services, row.company_id, audience);
          return audience;
        },
      },
      responses: { 200: jsonResponse(audiencePreviewSchema, "The recipients by what would happen to them") },
      errorCodes: audienceErrors,
    },
    async ({ c, services, request, row, body: audience }) =>
      c.json(await previewAudience(services, row, audience, readBearer(request))),
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/checks`,
      method: "get",
      summary: "Check a broadcast before it is sent; errors prevent sending, warnings do not",
      responses: { 200: jsonResponse(broadcastChecksSchema, "The checks, in a fixed order") },
    },
    async ({ c, services, caller, request, row, results }) => {
      const { id, company_id: companyId, language } = row;
      const { bulk, audience: stored } = await openBroadcast(services, row, results);
      const content = await services.dbOf(companyId).first(selectFullContent(id));
      if (content === null) throw new Problem("broadcast_not_found");
      const key = content.source_key;
      const design = (await services.dbOf(companyId).first(findDesignDocument({ key, companyId })))?.document ?? null;
      const audience =
        caller.companyId === companyId
          ? await countRecipients(services, companyId, stored, readBearer(request)).catch(codeOf)
          : "company_mismatch";
      const limit = services.settings.broadcastMaxRecipients;
      return c.json({ checks: checksOf({ content, bulk, design, audience, limit, language }) });
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/send`,
      method: "post",
      summary: "Send a broadcast at once, or schedule it for a time in the next 90 days",
      body: {
        schema: broadcastSendSchema,
        optional: true,
        read: (raw, { services, caller, row }) => {
          requireTokenOfCompany(caller.companyId, row.company_id);
          return readSendAt(parse(broadcastSendSchema, raw).send_at, services.clock.now());
        },
      },
      responses: { 202: jsonResponse(broadcastSchema, "The broadcast is queued or scheduled") },
      errorCodes: [
        ...(["broadcast_not_draft", "lane_paused", "audience_empty", "audience_too_large"] as const),
        ...senderErrors,
        ...audienceErrors,
      ],
    },
    async ({ c, services, caller, request, row, results, input, body: sendAt }) => {
      const opened = await openBroadcast(services, row, results);
      await sendBroadcast(services, caller, opened, { request, sendAt });
      const sent = await reopenBroadcast(services, row.id, row.company_id, input.platform);
      return c.json(await presentOpened(services, sent), 202);
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/send-test`,
      method: "post",
      summary: "Send the published content to at most five members, by default to the caller",
      limit: ({ services, row }) => limitTestSend(services, row.company_id, "broadcast"),
      body: {
        schema: broadcastTestSchema,
        optional: true,
        read: (raw, { services, caller, row, request }) => {
          const { user_ids, emails } = parse(broadcastTestSchema, raw);
          if (user_ids.length + emails.length > 0) requireTokenOfCompany(caller.companyId, row.company_id);
          return readTestMembers(services, row.company_id, caller, { user_ids, emails, request });
        },
      },
      responses: { 200: jsonResponse(broadcastTestSentSchema, "The provider accepted every mail") },
      errorCodes: ["provider_test_failed", ...senderErrors, ...audienceErrors],
    },
    async ({ c, services, caller, row, body: members }) => {
      const { scope, provider, from } = await sendBroadcastTest(services, caller, row, members);
      return c.json({ status: "sent", sent: members.length, provider, sender: { scope, from_email: from.address } });
    },
  );
  const summaries = {
    pause: "Pause a broadcast that is being prepared or sent",
    resume: "Continue a paused broadcast",
    cancel: "Cancel a broadcast that has not ended; mail that was handed over stays sent",
  } as const;
  for (const verb of ["pause", "resume", "cancel"] as const) {
    call(
      {
        ...broadcastRoute,
        path: `${PATH}/${verb}`,
        method: "post",
        summary: summaries[verb],
        responses: { 200: response },
        errorCodes: ["broadcast_state_conflict"],
      },
      async ({ c, services, caller, row, input }) => {
        await moveBroadcast(services, caller, row, verb);
        return c.json(
          await presentOpened(services, await reopenBroadcast(services, row.id, row.company_id, input.platform)),
        );
      },
    );
  }
}

/** Returns the code of a problem with the audience, which the checks show. Rethrows other errors. */
function codeOf(error: unknown): string {
  if (error instanceof Problem) return error.code;
  throw error;
}
