/**
 * Returns the mail variable with the link to a page of the administration, such as `/groups/…`. Returns {} without
 * `CONSOLE_URL`, because a mail must not link to a home page. docs/specification/console-links.md lists the pages.
 */
export const consoleLink = (consoleUrl: string | null, page: string): { action_url?: string } =>
  consoleUrl === null ? {} : { action_url: consoleUrl + page };
