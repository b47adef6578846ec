import { choice, list, text } from "../kit/setting-types";
import type { SettingsTable } from "../kit/settings";

/** The variables of the edge. The Worker takes their texts as they are and only their names from here: it stays small. */
export const settingsTable = {
  debug: { name: "DEBUG", type: choice("true", "false"), default: "false", meaning: "Development page at `/`" },
  pathHosts: {
    name: "PATH_HOSTS",
    type: list,
    default: "",
    meaning: "Further hosts that take the path form `/identity/…`, beside `localhost`, `127.0.0.1` and `[::1]`",
  },
  inboxUrl: { name: "INBOX_URL", type: text, default: "", meaning: "Link of the development page to the inbox" },
} as const satisfies SettingsTable;
