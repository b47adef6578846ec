import type {
  brandings,
  company_providers,
  decisions,
  default_contents,
  event_log,
  lane_states,
  library_templates,
  messages,
  rules,
  send_requests,
  sender_breakers,
  service_clients,
  suppressions,
  template_versions,
  templates,
  unsubscribes,
} from "./schema";

// Rows, and picks of them, that several capabilities of email work with.

export type MessageRow = typeof messages.$inferSelect;
export type ContentRow = typeof default_contents.$inferSelect;
export type CompanyProviderRow = typeof company_providers.$inferSelect;
export type LaneStateRow = typeof lane_states.$inferSelect;
export type ServiceClientRow = typeof service_clients.$inferSelect;
export type SendRequestRow = typeof send_requests.$inferSelect;
export type LibraryRow = typeof library_templates.$inferSelect;
export type TemplateRow = typeof templates.$inferSelect;
export type VersionRow = typeof template_versions.$inferSelect;
export type RuleRow = typeof rules.$inferSelect;
export type DecisionRow = typeof decisions.$inferSelect;
export type BrandingRow = typeof brandings.$inferSelect;

/** `failures` in a row, `open_until` unix ms (0: never open), `opens` in a row. */
export type BreakerRow = typeof sender_breakers.$inferSelect;

/** A suppression in force of an address that was asked for. */
export type SuppressionHit = Pick<typeof suppressions.$inferSelect, "email_hmac" | "reason" | "lanes">;

/** A category that an address that was asked for has left. */
export type UnsubscribeHit = Pick<typeof unsubscribes.$inferSelect, "email_hmac" | "category">;

/** A stored message to the address of a hash. */
export type AddressedMessage = Pick<MessageRow, "id" | "company_id" | "to_masked" | "to_enc" | "to_user_id">;

/** An event of a message (32 hex) as it is stored: data and envelope are sealed. */
export type NewEvent = {
  id: string;
  company_id: number;
  event_id: string;
  type: string;
  data: string;
  envelope: string;
};

/** A stored event about an address that is erased, sealed; the envelope is null where it has none. */
export type EventAboutErased = Pick<typeof event_log.$inferSelect, "company_id" | "id" | "data" | "envelope"> & {
  event_id: string;
};

/** What a message pins of a company's copy; see `customTemplateContent` of copies.ts. */
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

/** A published version as a delivery sends it. */
export type VersionContent = Pick<VersionRow, "id" | "subject" | "preheader" | "html" | "text">;
