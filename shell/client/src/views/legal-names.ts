import type { LegalDocumentName } from "../../../../schemas/shell/page.ts";

/** The possible legal documents, with their paths and titles. */
export const legalDocuments = [
  { name: "privacyPolicy", path: "privacy-policy", title: "legal.privacyPolicy" },
  { name: "termsOfService", path: "terms-of-service", title: "legal.termsOfService" },
  { name: "legalNotice", path: "legal-notice", title: "legal.legalNotice" },
  { name: "dataProcessingAgreement", path: "data-processing-agreement", title: "legal.dataProcessingAgreement" },
] as const satisfies { name: LegalDocumentName; path: string; title: string }[];
