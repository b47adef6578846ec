import { expect, it } from "vitest";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeRuleFreeTemplate } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";

// These tests allow two hosts for sign-in links.
const email = await startEmail({ vars: { EMAIL_AUTH_LINK_HOSTS: "auth.example.com,id.example.com:8443" } });
const { companyId, owner } = await startCompany(email);
const LINK = "identity.auth.magic_link.requested";

const text = (value: string, href?: string) => ({
  type: "text",
  text: value,
  ...(href === undefined ? {} : { marks: [{ type: "link", attrs: { href } }] }),
});
const paragraph = (value: string, attrs: object = {}) => ({ type: "paragraph", attrs, content: [text(value)] });
const link = (href: string, label = "here") => ({ type: "paragraph", content: [text(label, href)] });
const button = (attrs: object, label = "Sign in") => ({ type: "button", attrs, content: [text(label)] });
const image = (attrs: object) => ({ type: "image", attrs: { src: "https://img.example.com/a.png", ...attrs } });
const signIn = button({ href: "{{ magic_link_url }}" });

type Draft = { subject?: string; preheader?: string; document: object };

/** Publishes a draft of a sign-in mail. Returns "published" or the error. */
async function publish({ subject = "Sign in", preheader = "One press", document }: Draft, eventType = LINK) {
  const { id } = await storeRuleFreeTemplate(companyId, { eventType });
  const path = `/api/v1/templates/${id}/versions`;
  const json = { subject, preheader, document };
  const created = await send(email, owner, { method: "POST", path, json });
  const { number } = await created.clone().json<{ number: number }>();
  if (created.status !== 201) return problemOf(created);
  const response = await send(email, owner, { method: "POST", path: `${path}/${number}/publish` });
  // A rejected draft does not replace the published version.
  const details = await send(email, owner, { method: "GET", path: `/api/v1/templates/${id}` });
  const { active_version } = await details.json<{ active_version: number }>();
  expect(active_version).toBe(response.status === 200 ? number : 1);
  return response.status === 200 ? "published" : problemOf(response);
}

const inBlocks = (...blocks: object[]) => ({ document: documentOf(signIn, ...blocks) });
const missing = [400, "auth_link_missing", { magic_link_url: ["required"] }];
const target = (...codes: string[]) => [400, "auth_link_host_not_allowed", { href: codes }];
const misplaced = [400, "auth_link_misplaced", { document: ["link_token_misplaced"] }];
const literal = (...parts: string[]) => [
  400,
  "auth_literal_link",
  Object.fromEntries(parts.map((part) => [part, ["literal_url"]])),
];

const withoutLink = (...blocks: object[]) => ({ document: documentOf(...blocks) });

it.each<[string, Draft, unknown]>([
  ["no link at all", withoutLink(paragraph("Hello")), missing],
  ["the link of another event", withoutLink(button({ href: "{{ invitation_url }}" })), missing],
  ["a conditional link", withoutLink({ ...signIn, attrs: { ...signIn.attrs, when: "recipient_name" } }), missing],
  [
    "a link in a conditional block",
    withoutLink({ type: "div", attrs: { when: "sign_in_code" }, content: [signIn] }),
    missing,
  ],
  ["a link without visible text", withoutLink(link("{{ magic_link_url }}", " ")), missing],
  [
    "a link around invisible characters",
    withoutLink(button({ href: "{{ magic_link_url }}" }, "\u200b\u2800")),
    missing,
  ],
  [
    "a link around a value that may be empty",
    withoutLink(button({ href: "{{ magic_link_url }}" }, "{{ recipient_name }}")),
    missing,
  ],
  ...[
    "font-size:0",
    "FONT-SIZE: 1px !important",
    "font:2px/1 Arial",
    "text-indent:-9999px",
    "letter-spacing:-1em",
    "color:transparent",
    "color:#ffffff;background-color:#FFF",
    "color:rgba(0, 0, 0, 0)",
    "color:rgb(0 0 0 / 5%)",
    "color:rgb(250, 250, 250);background-color:white",
  ].flatMap((style): [string, Draft, unknown][] => [
    [`a button of ${style}`, withoutLink({ ...signIn, attrs: { ...signIn.attrs, style } }), missing],
    [
      `a button in a section of ${style}`,
      withoutLink({ type: "section", attrs: { style }, content: [signIn] }),
      missing,
    ],
  ]),
  [
    "a one-pixel image with the link",
    withoutLink(image({ href: "{{ magic_link_url }}", width: 1, height: 1 })),
    missing,
  ],
  [
    "a small and pale button in a section of size 0",
    withoutLink({
      type: "section",
      attrs: { style: "font-size:0;background-color:#000000" },
      content: [{ ...signIn, attrs: { ...signIn.attrs, style: "font-size:11px;color:#cccccc;letter-spacing:-0.5px" } }],
    }),
    "published",
  ],
  ["a link in preview text", withoutLink({ type: "previewText", content: [text("{{ magic_link_url }}")] }), misplaced],
  ["a link only in the subject", { subject: "{{ magic_link_url }}", ...withoutLink(paragraph("Hello")) }, missing],
  [
    "a link that depends on the company name",
    withoutLink({ ...signIn, attrs: { ...signIn.attrs, when: "company_name" } }),
    "published",
  ],
  ["the link as visible text", withoutLink(paragraph("Open {{ magic_link_url }}")), "published"],
  ["an image with the link", withoutLink(image({ href: "{{ magic_link_url }}" })), "published"],
])("publishes or rejects a sign-in mail with %s", async (_case, draft, expected) => {
  expect(await publish(draft)).toEqual(expected);
});

it.each<[string, string, unknown]>([
  ["another token", "{{ recipient_name }}", target("token_not_allowed")],
  ["the unsubscribe link", "{{ system.unsubscribe_url }}", target("token_not_allowed")],
  ["the link with a suffix", "{{ magic_link_url }}&x=1", target("token_not_allowed")],
  ["a token as the host", "https://{{ company_name }}/", target("token_not_allowed")],
  ["a token within the host", "https://auth.example.com{{ company_name }}/", target("token_not_allowed")],
  ["another host", "https://evil.example.com/", target("host_not_allowed")],
  ["a listed host as a user name", "https://auth.example.com@evil.example.com/", target("host_not_allowed")],
  ["a listed host with a user name", "https://mina@auth.example.com/", target("host_not_allowed")],
  ["a listed host after a backslash", "https://evil.example.com\\@auth.example.com/", target("host_not_allowed")],
  ["another port of a listed host", "https://id.example.com/", target("host_not_allowed")],
  ["mail", "mailto:help@auth.example.com", target("host_not_allowed")],
  ["a telephone", "tel:+331", target("host_not_allowed")],
  ["a default elsewhere", '{{ magic_link_url|default:"https://evil.example.com" }}', target("host_not_allowed")],
  ["an empty default", '{{ magic_link_url|default:"" }}', target("required")],
  ["an empty target", "", target("required")],
  ["an empty fragment", "#", target("required")],
  ["a listed host", "https://auth.example.com/help?for={{ recipient_name }}", "published"],
  ["a listed port", "https://id.example.com:8443/", "published"],
  ["a default on a listed host", '{{ magic_link_url|default:"https://auth.example.com/login" }}', "published"],
  ["the id of the message", "{{ system.message_id }}", "published"],
])("publishes or rejects a sign-in mail with a link to %s", async (_case, href, expected) => {
  expect(await publish(inBlocks(link(href)))).toEqual(expected);
  expect(await publish(inBlocks(button({ href })))).toEqual(expected);
  // An image with an empty link is an image without a link.
  const imageResult = href === "" || href === "#" ? "published" : expected;
  expect(await publish(inBlocks(image({ href })))).toEqual(imageResult);
});

it("returns all codes of invalid link targets in one response", async () => {
  const draft = inBlocks(
    link("https://evil.example.com"),
    link("{{ recipient_name }}"),
    link("https://evil2.example.com"),
  );
  expect(await publish(draft)).toEqual(target("host_not_allowed", "token_not_allowed"));
});

const pixel = (token: string) => image({ src: `https://img.example.com/{{ ${token} }}.png` });
it.each<[string, object]>([
  ["in the address of an image", pixel("magic_link_url")],
  ["in the address of an image as the code", pixel("sign_in_code")],
  ["in the alternative text of an image", image({ alt: "{{ magic_link_url }}" })],
  ["in the title of an image", image({ title: "{{ sign_in_code }}" })],
  [
    "in the title of a link",
    {
      type: "paragraph",
      content: [
        {
          ...text("x"),
          marks: [{ type: "link", attrs: { href: "{{ magic_link_url }}", title: "{{ magic_link_url }}" } }],
        },
      ],
    },
  ],
  ["in a style", paragraph("x", { style: "color: {{ sign_in_code }}" })],
  ["in preview text", { type: "previewText", content: [text("{{ sign_in_code }}")] }],
  ["in data of the editor", { type: "globalContent", attrs: { data: { a: ["{{ magic_link_url }}"] } } }],
])("rejects a sign-in mail with its link or code %s", async (_case, block) => {
  expect(await publish(inBlocks(block))).toEqual(misplaced);
});

it.each<[string, Draft, unknown]>([
  ["a link in its subject", { subject: "See HTTPS://evil.example.com", ...inBlocks() }, literal("subject")],
  [
    "links in subject and preheader",
    { subject: "www.a.example", preheader: "Mailto:a@b.example", ...inBlocks() },
    literal("subject", "preheader"),
  ],
  ["a link in its text", inBlocks(paragraph("http://auth.example.com/")), literal("document")],
  [
    "a link across marks",
    inBlocks({
      type: "paragraph",
      content: [text("htt"), { ...text("ps:"), marks: [{ type: "bold" }] }, text("//a.example")],
    }),
    literal("document"),
  ],
  ["a link with invisible characters", inBlocks(paragraph("h\u200bttps\u2060://a.example")), literal("document")],
  ["a link in full-width letters", inBlocks(paragraph("ｗｗｗ．a.example")), literal("document")],
  ["a link in a default", inBlocks(paragraph('{{ recipient_name|default:"www.a.example" }}')), literal("document")],
  [
    "a default that makes a link",
    inBlocks(paragraph('{{ recipient_name|default:"https" }}://a.example')),
    literal("document"),
  ],
  ["a link in the alternative text of an image", inBlocks(image({ alt: "www.a.example" })), literal("document")],
  [
    "a link in a list",
    inBlocks({ type: "bulletList", content: [{ type: "listItem", content: [paragraph("tel:1")] }] }),
    literal("document"),
  ],
  ["a link on its button", inBlocks(button({ href: "{{ magic_link_url }}" }, "www.a.example")), literal("document")],
  ["a tag in its text", inBlocks(paragraph("<A HREF=x>")), literal("document")],
  [
    "its own link in subject and text",
    { subject: "{{ magic_link_url }}", ...inBlocks(paragraph("{{ magic_link_url }}")) },
    "published",
  ],
])("publishes or rejects a sign-in mail with visible text: %s", async (_case, draft, expected) => {
  expect(await publish(draft)).toEqual(expected);
});

it("runs the checks of a sign-in mail in a fixed order", async () => {
  const everything = [pixel("magic_link_url"), paragraph("www.a.example")];
  const foreignLink = link("https://evil.example.com");
  expect(await publish(withoutLink(foreignLink, ...everything))).toEqual(target("host_not_allowed"));
  expect(await publish(withoutLink(paragraph("www.a.example")))).toEqual(missing);
  expect(await publish(withoutLink(...everything))).toEqual(misplaced);
  expect(
    await publish(withoutLink({ ...signIn, attrs: { ...signIn.attrs, when: "recipient_name" } }, paragraph("tel:"))),
  ).toEqual(missing);
});

it("requires its own link in an invitation", async () => {
  const event = "identity.user.invited";
  expect(await publish(withoutLink(button({ href: "{{ invitation_url }}" })), event)).toBe("published");
  expect(await publish(withoutLink(signIn), event)).toEqual([
    400,
    "auth_link_missing",
    { invitation_url: ["required"] },
  ]);
});

it("rejects a document that repeats over a list that the event does not declare", async () => {
  const document = documentOf({ type: "section", attrs: { each: "items" }, content: [paragraph("{{ item.name }}")] });
  const unknown = [400, "validation_failed", { document: ["list_unknown"] }];
  expect(await publish({ document }, "identity.group.created")).toEqual(unknown);
});

it("allows any link in mail that is neither a sign-in mail nor an invitation", async () => {
  const draft = {
    subject: "See https://news.example.com",
    document: documentOf(link("https://anywhere.example.org"), ...paragraphDocument("www.a.example").content),
  };
  expect(await publish(draft, "identity.group.created")).toBe("published");
});
