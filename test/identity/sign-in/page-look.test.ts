import { describe, expect, it, vi } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { callIdentity, createCompany, createMailbox, identityEnv } from "../../support/identity/identity";

const LOGO = `https://email.example.com/static/logos/${"9f".repeat(32)}`;
const KEY = { EMAIL_SERVICE_KEY: "esk_test" };

/** Returns bindings whose email service answers with `answer`, the requests that it received, and a function that opens the page. */
async function startPages(answer: (init: RequestInit) => Promise<Response>) {
  const reads: { url: string; authorization: string | null }[] = [];
  const fetch = (url: string, init: RequestInit) => {
    reads.push({ url, authorization: new Headers(init.headers).get("authorization") });
    return answer(init);
  };
  const env = { ...identityEnv(createMailbox(), KEY), EMAIL: { fetch } as unknown as Fetcher };
  const company = await createCompany();
  const open = (id: number | string = company.id) =>
    callIdentity(
      env,
      `/api/v1/authorize?${new URLSearchParams({ company_id: String(id), redirect_to: `${company.origin}/cb` })}`,
      {
        headers: { accept: "text/html" },
      },
    );
  return { reads, open, company };
}

const look = async (primary_color: string, logo_url = LOGO) =>
  Response.json({ company_id: 1, primary_color, logo_url });

describe("the look of a company's pages", () => {
  it("shows logo and colour, allows their host only, and reads them once a minute", async () => {
    let colour = "#0a5c45";
    const { open, reads, company } = await startPages(() => look(colour));
    const page = await open();
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self' data: https://email.example.com;");
    const text = await page.text();
    expect(text).toContain(`<img class="logo plate" src="${LOGO}" alt="Aster`);
    expect(text).toContain("--primary:#0a5c45");
    expect(reads).toEqual([
      { url: `http://email/api/v1/branding/page?company_id=${company.id}`, authorization: "Bearer esk_test" },
    ]);
    await open();
    expect(reads).toHaveLength(1);
    colour = "#7c2d12";
    const later = vi.spyOn(clock, "now").mockImplementation(() => Date.now() + 61_000);
    expect(await (await open()).text()).toContain("--primary:#0a5c45");
    expect(await (await open()).text()).toContain("--primary:#7c2d12");
    expect(reads).toHaveLength(2);
    later.mockRestore();
  });

  it("shows name and mark without waiting again when the email service does not answer", async () => {
    const hang = (init: RequestInit) =>
      new Promise<Response>((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
    const { open, reads } = await startPages(hang);
    const started = Date.now();
    const page = await open();
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('class="mark"');
    expect(Date.now() - started).toBeLessThan(2000);
    expect((await open()).status).toBe(200);
    expect(reads).toHaveLength(1);
  });

  it.each([
    ["an error", async () => new Response(null, { status: 503 })],
    ["a body without JSON", async () => new Response("<html>")],
    ["values of other types", async () => Response.json({ primary_color: 7, logo_url: ["x"] })],
    ["an invalid logo", () => look("red;position:fixed", "not a url")],
  ])("shows the neutral look after %s", async (_, answer) => {
    const { open } = await startPages(answer);
    const text = await (await open()).text();
    expect(text).toContain('class="mark"');
    expect(text).not.toContain("position:fixed");
  });

  it("reads nothing for an unknown company", async () => {
    const { open, reads } = await startPages(() => look("#0a5c45"));
    expect((await open(987_654_321)).status).toBe(400);
    expect(reads).toEqual([]);
  });
});
