export type Report = {
  message: string;
  stack: string;
  release: string;
  environment?: string;
  route: string;
  browser: string;
};

/** Returns the request for a report: a Sentry envelope if the DSN has a user name, else plain JSON. */
export function reportRequest(dsn: string, report: Report): { url: string; body: string } {
  const url = new URL(dsn);
  if (url.username === "") return { url: dsn, body: JSON.stringify(report) };
  const project = url.pathname.replace(/^.*\//, "");
  const base = `${url.origin}${url.pathname.slice(0, url.pathname.length - project.length)}`;
  const { message, stack, release, environment, route, browser } = report;
  const event = {
    event_id: crypto.randomUUID().replaceAll("-", ""),
    timestamp: Date.now() / 1000,
    platform: "javascript",
    release,
    environment,
    transaction: route,
    message: `${message}\n${stack}`.trim(),
    contexts: { browser: { name: browser } },
  };
  const body = [JSON.stringify({ event_id: event.event_id }), JSON.stringify({ type: "event" }), JSON.stringify(event)];
  return { url: `${base}api/${project}/envelope/?sentry_key=${url.username}&sentry_version=7`, body: body.join("\n") };
}

/** Removes personal data from a text: query and fragment of URLs, email addresses, long codes. */
export const anonymous = (text: string): string =>
  text
    .replace(/(\/[^\s?#/]*)[?#](?:\S*?(:\d+:\d+\)?)$|\S*)/gm, "$1$2")
    // Stacks of some browsers write `function@url`, which is not an email address.
    .replace(/[^\s@<>"']+@(?!https?:\/\/)[^\s@<>"']+\.[^\s@<>"']+/g, "[address]")
    .replace(/[A-Za-z0-9_-]{24,}(\.[A-Za-z0-9_-]+)*/g, "[code]");
