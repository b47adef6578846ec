import { currentTexts, make, platform } from "./shell.js";

/** Returns the account from the identity service; null when the service does not respond, undefined without a token. */
async function readAccount() {
  const { data: token } = await platform.getAccessToken({ minTtl: 60 });
  const url = platform.settings?.backend?.url;
  if (token === null || url === undefined) return undefined;
  try {
    const headers = { Accept: "application/json", Authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/v1/user`, { credentials: "omit", headers });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Draws the account as the identity service knows it. The token is used for this request and never stored. */
export function drawAccount(draw) {
  const t = currentTexts();
  const room = make("div", { class: "card", "aria-live": "polite", "aria-busy": "true" }, "…");
  void readAccount().then((account) => {
    room.ariaBusy = "false";
    if (account === undefined) return room.replaceChildren(make("p", {}, t.noToken));
    if (account === null)
      return room.replaceChildren(
        make("p", {}, t.noAnswer),
        make("button", { type: "button", onClick: draw }, t.again),
      );
    const { email, app_metadata: app, user_metadata: userMetadata } = account;
    const provider = app.provider === "magic_link" ? t.magicLink : app.provider;
    const facts = { name: userMetadata.name || "–", email, provider, company: String(app.company_id) };
    const lines = Object.entries(facts).flatMap(([key, text]) => [make("dt", {}, t[key]), make("dd", {}, text)]);
    return room.replaceChildren(make("dl", { class: "facts" }, ...lines));
  });
  return [
    make("a", { class: "back", href: "/" }, `← ${t.back}`),
    make("div", { class: "head" }, make("h1", { tabindex: "-1" }, t.accountTitle)),
    make("div", { class: "stack" }, room, make("p", { class: "quiet small" }, t.accountHint)),
  ];
}
