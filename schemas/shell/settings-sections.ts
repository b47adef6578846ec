/** The sections of the settings view in display order. Each section has a page at `/__settings/<id>`. */
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

/** The prefix of the id of a settings section that an application provides. The path of its navigation item follows. */
export const APP_SECTION_PREFIX = "app-";
