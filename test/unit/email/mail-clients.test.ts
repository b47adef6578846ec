import { caniemail } from "caniemail";
import { describe, expect, it } from "vitest";
import { LIBRARY_DESIGNS } from "../../../workers/email/library/designs/designs";
import { defaultMails, designMail, SAMPLE_BRANDING } from "../../../workers/email/library/samples";

const GMAIL = ["gmail.android", "gmail.desktop-webmail", "gmail.ios", "gmail.mobile-webmail"];
const OUTLOOK = ["outlook.android", "outlook.ios", "outlook.macos", "outlook.outlook-com", "outlook.windows"];
const YAHOO = ["yahoo.android", "yahoo.desktop-webmail", "yahoo.ios"];
/** The two that draw with the engine of a word processor. */
const WORD = ["outlook.windows", "outlook.windows-mail"];
const STYLELESS = ["gmail.mobile-webmail"];

/** What a mail uses though these clients leave it out, and what they show instead. */
const EXCEPTIONS: Readonly<Record<string, { clients: readonly string[]; instead: string }>> = {
  "<body> element": {
    clients: ["outlook.macos", "yahoo.android", "yahoo.ios"],
    instead: "the table around everything has the same colours",
  },
  "<style> element": { clients: STYLELESS, instead: "every style that a mail needs is inline" },
  "@media": { clients: [...STYLELESS, ...WORD], instead: "the design of wide screens by day" },
  "Attribute selector": { clients: [...STYLELESS, ...WORD], instead: "it is for other programs" },
  "Class selector": { clients: STYLELESS, instead: "every style that a mail needs is inline" },
  "Descendant combinator": { clients: STYLELESS, instead: "it is for other programs" },
  "Type selector": { clients: STYLELESS, instead: "it is for other programs" },
  "border-radius": { clients: WORD, instead: "square corners" },
  "color-scheme CSS property": { clients: [...GMAIL, ...OUTLOOK, ...YAHOO], instead: "their own dark mode" },
  "color-scheme meta tag": {
    clients: [...GMAIL, ...OUTLOOK, ...YAHOO, "outlook.windows-mail", "apple-mail.ios"],
    instead: "their own dark mode; Apple's reads the CSS property",
  },
  "display:none": { clients: STYLELESS, instead: "the preheader is one pixel high" },
  "max-height property": { clients: WORD, instead: "the preheader is hidden by mso-hide" },
  opacity: { clients: [...STYLELESS, ...WORD], instead: "the preheader is transparent, or hidden by mso-hide" },
  overflow: { clients: WORD, instead: "the preheader is hidden by mso-hide" },
  "overflow-wrap": {
    clients: [
      ...["gmail.android", "gmail.desktop-webmail", "gmail.ios"],
      ...["outlook.android", "outlook.ios", "outlook.outlook-com", "outlook.windows", "outlook.windows-mail"],
      ...YAHOO,
    ],
    instead: "word-break says the same",
  },
  "role attribute": { clients: ["outlook.windows-mail"], instead: "tables are read as tables" },
  "system-ui, ui-serif, ui-sans-serif, ui-rounded, ui-monospace": {
    clients: WORD,
    instead: "the next font of the list",
  },
  "table-layout": { clients: WORD, instead: "columns as wide as their content" },
  "white-space": { clients: WORD, instead: "a code may break at its hyphen" },
  "word-break": { clients: [...YAHOO, "outlook.windows-mail"], instead: "a long word runs out of its column" },
};

/** Every feature of the mail that one of the clients does not know, as `feature: client`. */
function unknownIn(html: string): string[] {
  // What Outlook alone reads is written for it.
  const branches = html.replace(/<!--\[if mso\]>[\s\S]*?<!\[endif\]-->/g, "");
  const { issues } = caniemail({ clients: ["gmail.*", "outlook.*", "apple-mail.*", "yahoo.*"], html: branches });
  return [...issues.errors].flatMap(([client, list]) => list.map(({ title }) => `${title}: ${client}`));
}

const excepted = new Set(
  Object.entries(EXCEPTIONS).flatMap(([feature, { clients }]) => clients.map((client) => `${feature}: ${client}`)),
);

describe("Gmail, Outlook, Apple Mail and Yahoo", () => {
  const branding = { ...SAMPLE_BRANDING, logo_url: "https://cdn.aster.example/logo.png" };
  const mails = [...LIBRARY_DESIGNS.map((design) => designMail(design, { branding })), ...defaultMails({ branding })];
  const used = new Set(mails.flatMap(({ html }) => unknownIn(html)));

  it("know what every design and every default mail uses, but for what is named here", () => {
    expect([...used].filter((feature) => !excepted.has(feature)).sort()).toEqual([]);
  });

  it("are not excepted from what no mail uses", () => {
    expect([...excepted].filter((feature) => !used.has(feature)).sort()).toEqual([]);
  });
});
