import { expect, it } from "vitest";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeRuleFreeTemplate } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";

// EMAIL_AUTH_LINK_HOSTS of the tests holds auth.example.com.
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

/** What publishing a draft of a sign-in mail is answered with. */
async function publish({ subject = "Sign in", preheader = "One press", document }: Draft, eventType = LINK) {
  const { id } = await storeRuleFreeTemplate(companyId, { eventType });
  const path = `/api/v1/templates/${id}/versions`;
  const json = { subject, preheader, document };
  const made = await send(email, owner, { method: "POST", path, json });
  const { number } = await made.clone().json<{ number: number }>();
  if (made.status !== 201) return problemOf(made);
  const answer = await send(email, owner, { method: "POST", path: `${path}/${number}/publish` });
  // What is refused changes nothing: the version before goes on letting people in.
  const shown = await send(email, owner, { method: "GET", path: `/api/v1/templates/${id}` });
  const { active_version } = await shown.json<{ active_version: number }>();
  expect(active_version).toBe(answer.status === 200 ? number : 1);
  return answer.status === 200 ? "published" : problemOf(answer);
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

const bare = (...blocks: object[]) => ({ document: documentOf(...blocks) });

it.each<[string, Draft, unknown]>([
  ["no link at all", bare(paragraph("Hello")), missing],
  ["the link of another event", bare(button({ href: "{{ invitation_url }}" })), missing],
  [
    "a link that its readers see only sometimes",
    bare({ ...signIn, attrs: { ...signIn.attrs, when: "recipient_name" } }),
    missing,
  ],
  [
    "a link in a block that is seen only sometimes",
    bare({ type: "div", attrs: { when: "sign_in_code" }, content: [signIn] }),
    missing,
  ],
  ["a link that nobody can press", bare(link("{{ magic_link_url }}", " ")), missing],
  ["a link under what leaves no mark", bare(button({ href: "{{ magic_link_url }}" }, "\u200b\u2800")), missing],
  [
    "a link under a value that may be empty",
    bare(button({ href: "{{ magic_link_url }}" }, "{{ recipient_name }}")),
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
    [`a button of ${style}`, bare({ ...signIn, attrs: { ...signIn.attrs, style } }), missing],
    [`a button in a section of ${style}`, bare({ type: "section", attrs: { style }, content: [signIn] }), missing],
  ]),
  [
    "a picture of a pixel that leads there",
    bare(image({ href: "{{ magic_link_url }}", width: 1, height: 1 })),
    missing,
  ],
  [
    "a button that is small and pale in a section without any size",
    bare({
      type: "section",
      attrs: { style: "font-size:0;background-color:#000000" },
      content: [{ ...signIn, attrs: { ...signIn.attrs, style: "font-size:11px;color:#cccccc;letter-spacing:-0.5px" } }],
    }),
    "published",
  ],
  [
    "a link in what only editors show",
    bare({ type: "previewText", content: [text("{{ magic_link_url }}")] }),
    misplaced,
  ],
  ["a link in the subject alone", { subject: "{{ magic_link_url }}", ...bare(paragraph("Hello")) }, missing],
  [
    "a link with the name of the company",
    bare({ ...signIn, attrs: { ...signIn.attrs, when: "company_name" } }),
    "published",
  ],
  ["a link as a visible text", bare(paragraph("Open {{ magic_link_url }}")), "published"],
  ["a picture that leads there", bare(image({ href: "{{ magic_link_url }}" })), "published"],
])("a sign-in mail with %s", async (_what, draft, expected) => {
  expect(await publish(draft)).toEqual(expected);
});

it.each<[string, string, unknown]>([
  ["another token", "{{ recipient_name }}", target("token_not_allowed")],
  ["a way to unsubscribe", "{{ system.unsubscribe_url }}", target("token_not_allowed")],
  ["the link with something behind it", "{{ magic_link_url }}&x=1", target("token_not_allowed")],
  ["a token as the host", "https://{{ company_name }}/", target("token_not_allowed")],
  ["a token within the host", "https://auth.example.com{{ company_name }}/", target("token_not_allowed")],
  ["another host", "https://evil.example.com/", target("host_not_allowed")],
  ["a listed host in front of another", "https://auth.example.com@evil.example.com/", target("host_not_allowed")],
  ["a listed host with a name", "https://mina@auth.example.com/", target("host_not_allowed")],
  ["a listed host behind a backslash", "https://evil.example.com\\@auth.example.com/", target("host_not_allowed")],
  ["another port of a listed host", "https://id.example.com/", target("host_not_allowed")],
  ["mail", "mailto:help@auth.example.com", target("host_not_allowed")],
  ["a telephone", "tel:+331", target("host_not_allowed")],
  ["a default elsewhere", '{{ magic_link_url|default:"https://evil.example.com" }}', target("host_not_allowed")],
  ["an empty default", '{{ magic_link_url|default:"" }}', target("required")],
  ["nothing", "", target("required")],
  ["nothing yet", "#", target("required")],
  ["a listed host", "https://auth.example.com/help?for={{ recipient_name }}", "published"],
  ["a listed port", "https://id.example.com:8443/", "published"],
  ["a default on a listed host", '{{ magic_link_url|default:"https://auth.example.com/login" }}', "published"],
  ["the id of the message", "{{ system.message_id }}", "published"],
])("a link of a sign-in mail to %s", async (_what, href, expected) => {
  expect(await publish(inBlocks(link(href)))).toEqual(expected);
  expect(await publish(inBlocks(button({ href })))).toEqual(expected);
  // A picture that leads nowhere is a picture.
  const ofImage = href === "" || href === "#" ? "published" : expected;
  expect(await publish(inBlocks(image({ href })))).toEqual(ofImage);
});

it("tells every kind of bad target at once", async () => {
  const draft = inBlocks(
    link("https://evil.example.com"),
    link("{{ recipient_name }}"),
    link("https://evil2.example.com"),
  );
  expect(await publish(draft)).toEqual(target("host_not_allowed", "token_not_allowed"));
});

const pixel = (token: string) => image({ src: `https://img.example.com/{{ ${token} }}.png` });
it.each<[string, object]>([
  ["in the address of a picture", pixel("magic_link_url")],
  ["as the code in the address of a picture", pixel("sign_in_code")],
  ["in a text for a picture", image({ alt: "{{ magic_link_url }}" })],
  ["in a title of a picture", image({ title: "{{ sign_in_code }}" })],
  [
    "in a title of a link",
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
  ["in what only editors show", { type: "previewText", content: [text("{{ sign_in_code }}")] }],
  ["in data of the editor", { type: "globalContent", attrs: { data: { a: ["{{ magic_link_url }}"] } } }],
])("a sign-in mail with its link or code %s", async (_what, block) => {
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
  ["a link in wide letters", inBlocks(paragraph("ｗｗｗ．a.example")), literal("document")],
  ["a link in a default", inBlocks(paragraph('{{ recipient_name|default:"www.a.example" }}')), literal("document")],
  [
    "a default that makes a link",
    inBlocks(paragraph('{{ recipient_name|default:"https" }}://a.example')),
    literal("document"),
  ],
  ["a link in a text for a picture", inBlocks(image({ alt: "www.a.example" })), literal("document")],
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
])("a sign-in mail with %s", async (_what, draft, expected) => {
  expect(await publish(draft)).toEqual(expected);
});

it("is judged by one check after the other", async () => {
  const everything = [pixel("magic_link_url"), paragraph("www.a.example")];
  const evil = link("https://evil.example.com");
  expect(await publish(bare(evil, ...everything))).toEqual(target("host_not_allowed"));
  expect(await publish(bare(paragraph("www.a.example")))).toEqual(missing);
  expect(await publish(bare(...everything))).toEqual(misplaced);
  expect(
    await publish(bare({ ...signIn, attrs: { ...signIn.attrs, when: "recipient_name" } }, paragraph("tel:"))),
  ).toEqual(missing);
});

it("an invitation needs its own link", async () => {
  const event = "identity.user.invited";
  expect(await publish(bare(button({ href: "{{ invitation_url }}" })), event)).toBe("published");
  expect(await publish(bare(signIn), event)).toEqual([400, "auth_link_missing", { invitation_url: ["required"] }]);
});

it("other mail may lead anywhere and say so", async () => {
  const draft = {
    subject: "See https://news.example.com",
    document: documentOf(link("https://anywhere.example.org"), ...paragraphDocument("www.a.example").content),
  };
  expect(await publish(draft, "identity.group.created")).toBe("published");
});
