import { choice, list, url } from "../kit/settings/setting-types";
import type { SettingsTable } from "../kit/settings/settings";

/** The variables of the edge. The Worker takes their texts as they are and only their names from here: it stays small. */
export const settingsTable = {
  debug: {
    name: "DEBUG",
    type: choice("true", "false"),
    default: "false",
    meaning: "Development: what it answers itself has no `Strict-Transport-Security`",
  },
  pathHosts: {
    name: "PATH_HOSTS",
    type: list,
    default: "",
    meaning: "Further hosts that take the path form `/identity/…`, beside `localhost`, `127.0.0.1` and `[::1]`",
  },
  shellUrl: {
    name: "SHELL_URL",
    type: url,
    default: "",
    meaning: "The shell, where `/` of hosts with the path form leads; none: 404",
  },
} as const satisfies SettingsTable;
