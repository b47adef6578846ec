import type * as z from "zod";
import { CATALOG_EVENTS, type CatalogEvent, type CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { catalogVariableSchema } from "../../../../schemas/email/content/catalog-wire";
import { eventLabels, variableLabels } from "./labels";

/** Returns the https origin of a host in `EMAIL_AUTH_LINK_HOSTS`. Adds brackets to a bare IPv6 address. */
function exampleOrigin(host: string): string {
  const isBareIpv6 = !host.startsWith("[") && host.indexOf(":") !== host.lastIndexOf(":");
  return `https://${isBareIpv6 ? `[${host}]` : host}`;
}

/** Returns the example value of a variable. A link that is limited to certain hosts uses the first of them. */
export function exampleValue(variable: CatalogVariable, authLinkHosts: readonly string[]): string {
  if (variable.allowed_hosts_setting === undefined) return variable.example;
  return exampleOrigin(authLinkHosts[0] ?? "localhost") + variable.example;
}

type PresentedVariable = z.output<typeof catalogVariableSchema>;

/** Returns a variable of an event. The description of a company's own variable is its label in the default language. */
function presentVariable(
  variable: CatalogVariable,
  event: CatalogEvent,
  authLinkHosts: readonly string[],
): PresentedVariable {
  const { token, type, labels, sample, fields } = variable;
  const label = event.own === undefined ? undefined : labels?.[event.own.default_language];
  return {
    token,
    type,
    required: variable.required,
    description: label ?? `email.var.${token}`,
    example: exampleValue(variable, authLinkHosts),
    is_url: type === "url",
    value_type: variable.value_type ?? (type === "url" ? "url" : "text"),
    labels: variableLabels(variable),
    ...(sample === undefined ? {} : { sample }),
    ...(fields === undefined ? {} : { fields: fields.map((field) => presentVariable(field, event, authLinkHosts)) }),
    ...(variable.sensitive === undefined ? {} : { sensitive: variable.sensitive }),
    ...(variable.allowed_hosts_setting === undefined ? {} : { allowed_hosts_setting: variable.allowed_hosts_setting }),
  };
}

function presentEvent(event: CatalogEvent, authLinkHosts: readonly string[]) {
  return {
    service: event.service,
    event_type: event.event_type,
    template_key: event.event_type,
    label: event.label,
    labels: eventLabels(event),
    lane_class: event.lane_class,
    default_lane: event.lane_class,
    default_enabled: event.default_enabled,
    category: event.lane_class,
    default_ttl_seconds: event.default_ttl_seconds,
    variables: event.variables.map((variable) => presentVariable(variable, event, authLinkHosts)),
    link_token: event.link_token,
    default_template: event.default_template,
    suggested: event.suggested,
  };
}

/** Returns the response body of `GET /api/v1/catalog`: the events of the platform and those of the company, by type. */
export function presentCatalog(authLinkHosts: readonly string[], ownEvents: readonly CatalogEvent[]) {
  const events = [...CATALOG_EVENTS, ...ownEvents].sort((a, b) => (a.event_type < b.event_type ? -1 : 1));
  return {
    auth_link_hosts: [...authLinkHosts],
    events: events.map((event) => presentEvent(event, authLinkHosts)),
  };
}
