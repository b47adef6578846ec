import type { HostedStage } from "./stage.ts";

const COLOUR = "#0f766e";

/** The colours of the logo, by the background that it is for. */
const INKS = { light: COLOUR, dark: "#5eead4" };

const logoIn = (
  ink: string,
) => `<body style="margin:0"><svg id="logo" width="132" height="32" fill="${ink}" style="display:block">
<path d="M4 26 16 4l12 22h-7l-5-10-5 10z"/><text x="38" y="24" font-family="Georgia,serif" font-size="24">Aster</text></svg>`;

/** Stores a colour and drawn logos for light and dark backgrounds in the branding of the company. */
export async function storeBranding({ platform, token, call, visit }: HostedStage): Promise<void> {
  await call("PUT", "/email/api/v1/branding", { primary_color: COLOUR });
  const page = await visit("about:blank");
  for (const [scheme, ink] of Object.entries(INKS)) {
    await page.setContent(logoIn(ink));
    const logo = await page.locator("#logo").screenshot({ omitBackground: true });
    const response = await fetch(`${platform.url}/email/api/v1/branding/logo?scheme=${scheme}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
      body: new Uint8Array(logo),
    });
    if (!response.ok) throw new Error(`the logo was not stored: ${response.status} ${await response.text()}`);
  }
  await page.context().close();
}
