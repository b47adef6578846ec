import { CATALOG_EVENTS, type CatalogEvent, type CatalogVariable } from "../../../../schemas/email/content/catalog";

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

function presentVariable(variable: CatalogVariable, authLinkHosts: readonly string[]) {
  return {
    token: variable.token,
    type: variable.type,
    required: variable.required,
    description: `email.var.${variable.token}`,
    example: exampleValue(variable, authLinkHosts),
    is_url: variable.type === "url",
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
    lane_class: event.lane_class,
    default_lane: event.lane_class,
    default_enabled: event.default_enabled,
    category: event.lane_class,
    default_ttl_seconds: event.default_ttl_seconds,
    variables: event.variables.map((variable) => presentVariable(variable, authLinkHosts)),
    link_token: event.link_token,
    default_template: event.default_template,
    suggested: event.suggested,
  };
}

/** Returns the response body of `GET /api/v1/catalog`. */
export function presentCatalog(authLinkHosts: readonly string[]) {
  return {
    auth_link_hosts: [...authLinkHosts],
    events: CATALOG_EVENTS.map((event) => presentEvent(event, authLinkHosts)),
  };
}
