/** Sections of the settings view, in their order: each has a page at `/__settings/<id>`. */
export const settingsSections = [
  "appearance",
  "language-and-region",
  "data-privacy",
  "account",
  "storage",
  "updates",
  "advanced",
  "legal-documents",
  "developer",
  "service-worker",
] as const;

/** What the section of the settings begins with that an application brings; the path of its item follows. */
export const PANEL = "app-";
