import { isLoopback, listAt, objectAt, parseUrl, type RuleContext, textAt } from "./context.ts";

/** Checks settings of `backend` that depend on each other. */
export function checkBackend(context: RuleContext): void {
  const { rawConfig, report } = context;
  const backend = objectAt(rawConfig, "backend");
  const type = textAt(backend, "type");
  if (type === undefined) return;
  const key = textAt(backend, "publishableKey");
  if (type === "supabase" && backend.publishableKey === undefined) {
    report("missing-key", ["backend", "publishableKey"], '"publishableKey" is required for the type "supabase".');
  }
  if (key !== undefined && isSecretKey(key)) {
    const sentence =
      "It is a secret key, and the built page contains every value of the configuration. Use the publishable (anon) key.";
    report("secret-in-config", ["backend", "publishableKey"], sentence);
  }
  if (type === "platform" && backend.companyId === undefined) checkCompany(context);
  checkAdmin(context, type);
  const panel = textAt(backend, "login", "panelUrl");
  if (panel !== undefined && !isTrustedPanel(panel, rawConfig, context.command === "start")) {
    const sentence =
      "The panel is not shown. Use a path, or a URL on the origin of the shell, backend.url, backend.loginUrl or storage.";
    report("panel-ignored", ["backend", "login", "panelUrl"], sentence, { level: "warning" });
  }
}

function checkCompany({ rawConfig, report }: RuleContext): void {
  const login = objectAt(rawConfig, "backend", "login");
  const hasProviders = listAt(login, "oauthProviders").length > 0;
  const usesOauth = login.methods === undefined ? hasProviders : listAt(login, "methods").includes("oauth");
  const sentence = usesOauth
    ? "Sign-in with a provider requires backend.companyId."
    : "Without backend.companyId nobody can sign in: the sign-in page says that no company is configured.";
  report("missing-company", ["backend", "companyId"], sentence, { level: usesOauth ? "error" : "warning" });
}

function checkAdmin({ rawConfig, report }: RuleContext, type: string): void {
  const setKeys = ["adminPathname", "adminUrl"].filter((key) => textAt(rawConfig, "backend", key) !== undefined);
  const [first] = setKeys;
  if (first === undefined || (setKeys.length === 2 && type === "platform")) return;
  const sentence =
    type === "platform"
      ? "Set both adminPathname and adminUrl. With only one of them there is no administration."
      : 'Only the type "platform" has an administration.';
  report("admin-incomplete", ["backend", first], sentence, { level: "warning" });
}

/** Returns whether a login panel may be framed. Development also allows loopback addresses. */
export function isTrustedPanel(text: string, config: unknown, isDevelopment: boolean): boolean {
  if (/\p{Cc}/u.test(text)) return false;
  if (text.startsWith("/")) return !/^\/[/\\]/.test(text);
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  if (isDevelopment && isLoopback(url)) return true;
  const trusted = [
    ["backend", "url"],
    ["backend", "loginUrl"],
    ["storage", "url"],
    ["storage", "filesUrl"],
  ].map((path) => parseUrl(textAt(config, ...path))?.origin);
  return trusted.includes(url.origin);
}

/** Returns whether a key must stay on the server, by its prefix or by the role in its JWT. */
function isSecretKey(key: string): boolean {
  if (/^(?:sb_secret_|sk_|service_role)/.test(key)) return true;
  const payload = key.split(".")[1];
  if (payload === undefined) return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return ["service_role", "supabase_admin"].includes(textAt(claims, "role") ?? "");
  } catch {
    return false;
  }
}
