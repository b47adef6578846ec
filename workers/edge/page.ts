import { escapeHtml } from "../kit/http/html";

// Development only. One HTML document without build step: the shell replaces it.

const style = `
:root { color-scheme: light dark; --accent: light-dark(#1d4ed8, #93b4ff); --line: light-dark(#c9ced6, #4a5160); }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1rem; max-width: 34rem;
  background: light-dark(#fff, #15181e); color: light-dark(#1b1f27, #e8eaee); }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
label { display: block; margin: 0.75rem 0 0.25rem; }
header label { display: inline; }
input, select, button { font: inherit; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.4rem;
  background: transparent; color: inherit; }
select option { color: #1b1f27; background: #fff; }
input { width: 100%; }
button { margin: 1rem 0.5rem 0 0; background: var(--accent); border-color: var(--accent); color: light-dark(#fff, #10131a);
  cursor: pointer; }
button.quiet { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
[role=status]:not(:empty), [role=alert]:not(:empty) { border: 1px solid var(--line); border-left-width: 0.4rem;
  border-radius: 0.4rem; padding: 0.75rem 1rem; margin: 1rem 0; }
[role=status]:not(:empty) { border-left-color: var(--accent); }
[role=alert]:not(:empty) { border-left-color: light-dark(#b42318, #ff9a8f); }
pre { overflow: auto; border: 1px solid var(--line); border-radius: 0.4rem; padding: 1rem; font-size: 0.85rem; }
[hidden] { display: none; }
`;

const texts = {
  en: {
    title: "Sign in",
    note: "Development page, company 1 “Demo”.",
    language: "Language",
    email: "Email address",
    send: "Send me a link",
    ways: "More ways to sign in",
    look: "If this address can sign in, a message is on its way.",
    inbox: "Open the inbox",
    codeTitle: "Or type the code of the message",
    code: "Code",
    verify: "Sign in with the code",
    signedIn: "Signed in as",
    claims: "Claims of the access token",
    refresh: "Refresh",
    refreshed: "New tokens received.",
    signOut: "Sign out",
    signedOut: "Signed out.",
    failed: "That did not work:",
    unreachable: "The service could not be reached.",
  },
  fr: {
    title: "Connexion",
    note: "Page de développement, entreprise 1 «\u00a0Demo\u00a0».",
    language: "Langue",
    email: "Adresse e-mail",
    send: "Envoyez-moi un lien",
    ways: "Autres façons de se connecter",
    look: "Si cette adresse peut se connecter, un message est en route.",
    inbox: "Ouvrir la boîte de réception",
    codeTitle: "Ou saisissez le code du message",
    code: "Code",
    verify: "Se connecter avec le code",
    signedIn: "Connecté en tant que",
    claims: "Contenu du jeton d’accès",
    refresh: "Renouveler",
    refreshed: "Nouveaux jetons reçus.",
    signOut: "Se déconnecter",
    signedOut: "Déconnecté.",
    failed: "Cela n’a pas fonctionné\u00a0:",
    unreachable: "Le service est injoignable.",
  },
};

const script = `
const texts = ${JSON.stringify(texts)};
const byId = (id) => document.getElementById(id);
const here = location.origin + "/";
const api = "/identity/api/v1/";
const company_id = 1;
let session = JSON.parse(sessionStorage.getItem("session") ?? "null");
let said = "";

function text(key) { return texts[byId("language").value][key]; }

function setLanguage(language) {
  byId("language").value = language;
  localStorage.setItem("language", language);
  document.documentElement.lang = language;
  document.title = text("title");
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  byId("status").textContent = said && text(said);
}

function say(key) { said = key; byId("status").textContent = key && text(key); byId("alert").textContent = ""; }
function complain(reason) { say(""); byId("alert").textContent = text("failed") + " " + reason; }

async function call(path, body) {
  const headers = { "content-type": "application/json" };
  if (session) headers.authorization = "Bearer " + session.access_token;
  try {
    const response = await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return answer;
    // A session that is over, as after a start anew, can be neither renewed nor ended.
    if (response.status === 401 && session) leave();
    const fields = Object.entries(answer.field_errors ?? {}).map(([name, codes]) => name + ": " + codes.join(", "));
    complain([answer.error_code, ...fields].join(" · "));
  } catch { complain(text("unreachable")); }
  return null;
}

function readClaims(token) {
  const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

function keep(tokens) {
  session = tokens;
  if (tokens) sessionStorage.setItem("session", JSON.stringify(tokens));
  else sessionStorage.removeItem("session");
  byId("signed-out").hidden = Boolean(tokens);
  byId("signed-in").hidden = !tokens;
  if (!tokens) return;
  const claims = readClaims(tokens.access_token);
  byId("who").textContent = claims.email;
  byId("claims").textContent = JSON.stringify(claims, null, 2);
}

function leave() { keep(null); byId("next").hidden = true; }

function onSubmit(id, action) {
  byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    event.submitter.disabled = true;
    await action();
    event.submitter.disabled = false;
  });
}

byId("ways").href = api + "authorize?" + new URLSearchParams({ company_id, redirect_to: here });

onSubmit("request", async () => {
  const language = byId("language").value;
  const client_timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = { company_id, email: byId("email").value, redirect_to: here, language, client_timezone };
  if (!(await call("magic-link/request", body))) return;
  say("look");
  byId("next").hidden = false;
});
onSubmit("typed", async () => {
  const tokens = await call("magic-link/verify", { company_id, email: byId("email").value, code: byId("code").value });
  if (tokens) { say(""); byId("code").value = ""; keep(tokens); }
});
byId("refresh").addEventListener("click", async () => {
  const tokens = await call("token?grant_type=refresh_token", { refresh_token: session.refresh_token });
  if (tokens) { keep(tokens); say("refreshed"); }
});
byId("sign-out").addEventListener("click", async () => {
  const done = await call("logout", { refresh_token: session.refresh_token });
  if (done) { leave(); say("signedOut"); }
});
byId("language").addEventListener("change", (event) => setLanguage(event.target.value));

const browserLanguage = navigator.language.startsWith("fr") ? "fr" : "en";
setLanguage(localStorage.getItem("language") ?? browserLanguage);
keep(session);
const query = new URLSearchParams(location.search);
const arrivedAt = location.origin + location.pathname;
// The code leaves the address bar before it is used, so that going back or reloading does not use it again.
if (location.search || location.pathname !== "/") history.replaceState(null, "", "/");
if (query.has("platform_oauth_error")) {
  complain(query.get("platform_oauth_error") + " (" + query.get("platform_oauth_error_code") + ")");
} else if (query.has("platform_auth_code")) {
  const before = session;
  session = null;
  const tokens = await call("oauth/session", { auth_code: query.get("platform_auth_code"), redirect_to: arrivedAt });
  keep(tokens ?? before);
}
document.body.dataset.ready = "";
`;

/** The development sign-in page with a policy of its own; `inboxUrl` is the web inbox of the mail server, or empty. */
export function renderSignInPage(inboxUrl: string): Response {
  const nonce = crypto.randomUUID();
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
<h1 data-text="title">Sign in</h1>
<div><label for="language" data-text="language">Language</label>
<select id="language"><option value="en">English</option><option value="fr">Français</option></select></div>
</header>
<main>
<p data-text="note"></p>
<noscript><p>This page needs scripts. The pages behind the links in the mails do not.</p></noscript>
<p id="status" role="status"></p>
<p id="alert" role="alert"></p>
<div id="signed-out" hidden>
<form id="request">
<label for="email" data-text="email">Email address</label>
<input id="email" type="email" autocomplete="email" required value="owner@example.com">
<button data-text="send">Send me a link</button>
</form>
<p><a id="ways" href="#" data-text="ways">More ways to sign in</a></p>
<div id="next" hidden>
<p><a href="${escapeHtml(inboxUrl)}" target="_blank" rel="noopener" data-text="inbox">Open the inbox</a></p>
<form id="typed">
<h2 data-text="codeTitle"></h2>
<label for="code" data-text="code">Code</label>
<input id="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required>
<button data-text="verify"></button>
</form>
</div>
</div>
<section id="signed-in" hidden>
<p><span data-text="signedIn">Signed in as</span> <strong id="who"></strong></p>
<button type="button" id="refresh" data-text="refresh">Refresh</button>
<button type="button" id="sign-out" class="quiet" data-text="signOut">Sign out</button>
<h2 data-text="claims">Claims of the access token</h2>
<pre id="claims" tabindex="0"></pre>
</section>
</main>
<script type="module" nonce="${nonce}">${script}</script>
</body>
</html>`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "referrer-policy": "no-referrer",
    },
  });
}
