import { choice, list, url } from "../kit/settings/setting-types";
import type { SettingsTable } from "../kit/settings/settings";

/**
 * The variables of the edge. To keep its bundle small, the Worker reads the variables directly and imports only types
 * from here.
 */
export const settingsTable = {
  debug: {
    name: "DEBUG",
    type: choice("true", "false"),
    default: "false",
    meaning: "Development mode: the edge's own responses have no `Strict-Transport-Security`",
  },
  serviceDomains: {
    name: "SERVICE_DOMAINS",
    type: list,
    default: "",
    meaning:
      "Domains whose hosts `identity.…`, `email.…`, `hosting.…` and `storage.…` belong to the services, besides `localhost`; every other host may belong to an app",
  },
  pathHosts: {
    name: "PATH_HOSTS",
    type: list,
    default: "",
    meaning: "Hosts that accept the path form `/identity/…`, besides `localhost`, `127.0.0.1` and `[::1]`",
  },
  shellUrl: {
    name: "SHELL_URL",
    type: url,
    default: "",
    meaning: "URL of the shell, to which `/` redirects on hosts with the path form; none: 404",
  },
} as const satisfies SettingsTable;
