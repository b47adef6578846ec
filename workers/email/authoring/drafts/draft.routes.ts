import {
  previewInputSchema,
  previewSchema,
  templateTestInputSchema,
} from "../../../../schemas/email/content/templates";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { testSentSchema } from "../../../../schemas/email/delivery/provider";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { inScope } from "../../../kit/http/resource";
import { exampleVariables } from "../../content/catalog/examples";
import { hasUnsubscribeLink } from "../../content/documents/broadcast-design";
import { MAX_DOCUMENT_BODY_BYTES } from "../../content/documents/document-input";
import { warningsOf } from "../../content/documents/warnings";
import { textValue } from "../../content/tokens/values";
import { replyAddress } from "../../delivery/sender/sender";
import {
  chooseTestSender,
  limitTestSend,
  presentTestSent,
  sendTestMail,
} from "../../delivery/sender-settings/test-send";
import type { EmailService } from "../../http";
import { fillMail } from "../templates/filled-mail";
import { composeDraft } from "../templates/version";
import { eventOf } from "../templates/version-input";
import { selectNewestVersion } from "../templates/versions";
import { readPreview, readTest } from "./draft-input";

const PATH = "/api/v1/templates/{id}";

const common = {
  tags: ["Templates"],
  role: "row",
  query: companyQuery,
  params: rowIdPath,
  input: ({ params }: { params: Record<string, string> }) => rowIdOf(params.id),
  missingCode: "template_not_found",
} as const;

/** Mounts the routes for previews and test mails of custom templates. */
export function mountDrafts({ call }: EmailService): void {
  call(
    {
      ...common,
      method: "post",
      path: `${PATH}/preview`,
      summary: "Preview a draft with values, without sending or storing anything",
      reads: ({ input: id }) => selectNewestVersion(id, "version"),
      row: ({ scope, results }) => {
        const template = inScope(results.template?.first, scope);
        return template && { template, ownType: results.ownType?.first ?? null, stored: results.stored?.first ?? null };
      },
      body: {
        schema: previewInputSchema,
        limit: MAX_DOCUMENT_BODY_BYTES,
        optional: true,
        read: (raw, { services, row }) => readPreview(services, row, raw),
      },
      responses: { 200: jsonResponse(previewSchema, "The mail, and warnings for its author") },
      errorCodes: ["event_unknown", "variable_url_not_allowed", "renderer_unavailable"],
    },
    async ({ c, services, caller, row, body: { draft, variables } }) => {
      const { template } = row;
      const event = eventOf(row);
      const { set_key: set, language } = template;
      const content = {
        subject: draft.subject,
        preheader: draft.preheader,
        ...composeDraft(draft, { set, language }),
      };
      const mail = await fillMail(services, template, event, content, variables, { to: caller.email, replyTo: null });
      const warnings = warningsOf(event, draft, mail, services.settings.authLinkHosts);
      const isStoppable = template.kind !== "broadcast" || hasUnsubscribeLink(draft.document);
      const missing = { code: "unsubscribe_link_missing", detail: "system.unsubscribe_url: required" };
      return c.json({ ...mail, warnings: isStoppable ? warnings : [missing, ...warnings] });
    },
  );
  call(
    {
      ...common,
      method: "post",
      path: `${PATH}/send-test`,
      summary:
        "Send a draft or a stored version with example values; only staff may send to other addresses than their own",
      reads: ({ input: id }) => selectNewestVersion(id, "draft"),
      row: ({ scope, results }) => {
        const template = inScope(results.template?.first, scope);
        return template && { template, ownType: results.ownType?.first ?? null, stored: results.stored?.first ?? null };
      },
      limit: ({ services, row: { template } }) => limitTestSend(services, template.company_id, "template"),
      body: {
        schema: templateTestInputSchema,
        limit: MAX_DOCUMENT_BODY_BYTES,
        optional: true,
        read: (raw, { services, caller, row }) => readTest(services, caller, row, raw),
      },
      responses: { 200: jsonResponse(testSentSchema, "The provider accepted the message") },
      errorCodes: [
        ...(["event_unknown", "renderer_unavailable", "variable_url_not_allowed"] as const),
        ...(["provider_not_configured", "platform_sender_not_allowed", "provider_test_failed"] as const),
        ...(["bulk_sender_required", "company_smtp_disabled"] as const),
      ],
    },
    async ({ c, services, caller, row, body: { draft, to } }) => {
      const { template } = row;
      const { id, set_key: set, language, company_id: companyId } = template;
      const event = eventOf(row);
      const lane: Lane = template.kind === "broadcast" ? "bulk" : event.lane_class;
      const sender = await chooseTestSender(services, companyId, lane === "bulk" ? lane : "auth");
      const content = {
        subject: draft.subject,
        preheader: draft.preheader,
        ...composeDraft(draft, { set, language }),
      };
      const variables = exampleVariables(event, language, services.settings.authLinkHosts);
      const reader = { to, replyTo: replyAddress(sender) };
      const { subject, html, text } = await fillMail(services, template, event, content, variables, reader);
      const { scope, provider } = sender;
      const audit = { action: "template.tested", target: `template:${id}`, changes: { scope, provider } };
      const entry = actionEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() });
      await services.dbOf(companyId).run(entry);
      const companyName = textValue(variables, "company_name");
      const mail = { companyId, companyName, to, subject, html, text, lane };
      const providerMessageId = await sendTestMail(services, sender, mail);
      return c.json(presentTestSent(sender, providerMessageId));
    },
  );
}
