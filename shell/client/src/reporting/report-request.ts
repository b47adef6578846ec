export type Report = {
  message: string;
  stack: string;
  release: string;
  environment?: string;
  route: string;
  browser: string;
};

/** Where reports go: an address with a user name is one of the Sentry kind, any other takes the report as JSON. */
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

/** A text without what may point at a person: addresses lose query and fragment, mail addresses and long codes go. */
export const anonymous = (text: string): string =>
  text
    .replace(/(\/[^\s?#/]*)[?#](?:\S*?(:\d+:\d+\)?)$|\S*)/gm, "$1$2")
    // In a stack of some browsers the address of a script stands behind the name of a function and @.
    .replace(/[^\s@<>"']+@(?!https?:\/\/)[^\s@<>"']+\.[^\s@<>"']+/g, "[address]")
    .replace(/[A-Za-z0-9_-]{24,}(\.[A-Za-z0-9_-]+)*/g, "[code]");
