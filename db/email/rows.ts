import type {
  alert_notices,
  alerts,
  brandings,
  broadcast_recipients,
  broadcasts,
  company_providers,
  decisions,
  default_contents,
  direct_contents,
  event_log,
  event_types,
  lane_states,
  library_templates,
  message_attachments,
  messages,
  newsletters,
  rules,
  send_requests,
  sender_breakers,
  service_clients,
  subscribers,
  suppressions,
  template_versions,
  templates,
  unsubscribes,
} from "./schema";

// Row types that several folders of email share.

export type MessageRow = typeof messages.$inferSelect;
export type AttachmentsRow = typeof message_attachments.$inferSelect;
export type ContentRow = typeof default_contents.$inferSelect;
export type DirectContentRow = typeof direct_contents.$inferSelect;
export type CompanyProviderRow = typeof company_providers.$inferSelect;
export type LaneStateRow = typeof lane_states.$inferSelect;
export type ServiceClientRow = typeof service_clients.$inferSelect;
export type SendRequestRow = typeof send_requests.$inferSelect;
export type LibraryRow = typeof library_templates.$inferSelect;
export type TemplateRow = typeof templates.$inferSelect;
export type VersionRow = typeof template_versions.$inferSelect;
export type EventTypeRow = typeof event_types.$inferSelect;
export type RuleRow = typeof rules.$inferSelect;
export type DecisionRow = typeof decisions.$inferSelect;
export type NewsletterRow = typeof newsletters.$inferSelect;
export type SubscriberRow = typeof subscribers.$inferSelect;
export type BrandingRow = typeof brandings.$inferSelect;
/** A broadcast without the hashes of its picked addresses, which only exports and erasures read. */
export type BroadcastRow = Omit<typeof broadcasts.$inferSelect, "audience_hashes">;
/** A condition of the job `watch`. */
export type AlertRow = typeof alerts.$inferSelect;
export type AlertNoticeRow = typeof alert_notices.$inferSelect;
export type RecipientRow = typeof broadcast_recipients.$inferSelect;

/**
 * A circuit breaker. `failures`: the level of the leaky bucket. `open_until`: unix ms, 0 when it was never open.
 * `opens`: how often it opened since the last accepted email.
 */
export type BreakerRow = typeof sender_breakers.$inferSelect;

/** An active suppression of one of the requested addresses. */
export type SuppressionHit = Pick<typeof suppressions.$inferSelect, "email_hmac" | "reason" | "lanes">;

/** A category from which a requested address unsubscribed. */
export type UnsubscribeHit = Pick<typeof unsubscribes.$inferSelect, "email_hmac" | "category">;

/** A stored message whose recipient was found by the hash of the address. */
export type AddressedMessage = Pick<MessageRow, "id" | "company_id" | "to_masked" | "to_enc" | "to_user_id">;

/** An event of a message (32 hex characters) to store. `data` and `envelope` are sealed. */
export type NewEvent = {
  id: string;
  company_id: number;
  event_id: string;
  type: string;
  data: string;
  envelope: string;
};

/** A sealed stored event about an address that is being erased. `envelope` is null when the event has none. */
export type EventAboutErased = Pick<typeof event_log.$inferSelect, "company_id" | "id" | "data" | "envelope"> & {
  event_id: string;
};

/**
 * The part of a custom template to which a message is pinned; see `customTemplateContent` in
 * conditions/custom-templates.ts.
 */
export type CustomTemplateContent = {
  template_id: number;
  template_key: string;
  source_key: string;
  language: TemplateRow["language"];
  version_id: number;
  number: number;
  subject: string;
  uses: VersionRow["uses"];
  is_default: boolean;
};

/** The columns of a published version that delivery reads. */
export type VersionContent = Pick<VersionRow, "id" | "subject" | "preheader" | "html" | "text">;
