import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { describe, expect, it, type TestContext } from "vitest";
import { runBuild } from "../../../cli/commands/build.ts";
import { listFiles } from "../../../cli/config/static-files.ts";
import { makeProject } from "../../support/cli/project.ts";
import { writeShell } from "../../support/cli/shell.ts";

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="red"/></svg>';

async function buildSite(context: TestContext, files: Record<string, string>, target: "web" | "desktop" = "web") {
  const root = makeProject(context, files);
  process.env.PLATFORM_SHELL = writeShell(join(makeProject(context, {}), "shell"));
  const err: string[] = [];
  const build = () =>
    runBuild(
      { root: undefined, target, isStrict: false },
      { out: () => undefined, err: (line) => err.push(line) },
      root,
    );
  const code = await build();
  const web = join(root, "dist/web");
  const read = (path: string) => readFileSync(join(web, path), "utf8");
  return { root, code, err, build, web, read, list: () => listFiles(web) };
}

/** Returns a hash of the names and contents of a folder's files. */
function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const path of listFiles(folder)) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest("hex");
}

/** Serves a folder with Cloudflare's asset Worker and returns a function that reads the response headers of a path. */
async function serveByCloudflare({ onTestFinished }: TestContext, directory: string) {
  const worker = {
    name: "site",
    modules: [{ type: "ESModule" as const, path: "worker.js", contents: "export default {}" }],
    compatibilityDate: "2026-10-01",
    assets: {
      directory,
      routerConfig: { has_user_worker: false },
      assetConfig: {
        html_handling: "auto-trailing-slash" as const,
        not_found_handling: "404-page" as const,
      },
    },
  };
  const host = new Miniflare(
    convertV4MiniflareOptions({ cf: false, telemetry: { enabled: false }, workers: [worker] }),
  );
  onTestFinished(() => host.dispose());
  const url = await host.ready;
  return async (path: string) => {
    const response = await fetch(new URL(path, url));
    await response.arrayBuffer();
    return response.headers;
  };
}

describe("build", { timeout: 30_000 }, () => {
  it("writes a copy of the same page for each item and each view", async (context) => {
    const { list, read } = await buildSite(context, {
      "platform.config.ts": `export default { appIcon: "/mark.svg", navigation: [
        { label: "A", path: "", url: "https://a.example.com" },
        { title: "G", items: [{ label: "D", path: "/docs/api/", url: "https://d.example.com" }] } ],
        legalDocuments: { privacyPolicy: { file: "legal/p.md" } },
        backend: { type: "platform", url: "https://b.example.com/", companyId: "7", adminPathname: "/admin/", adminUrl: "https://c.example.com" },
        storage: { url: "https://s.example.com/", filesUrl: "https://f.example.com/files/" } };`,
      "static/mark.svg": svg,
      "static/icons/home.svg": svg,
      "legal/p.md": "# Privacy\n\nWe keep **little**.",
    });
    const files = list();
    for (const path of [
      "index.html",
      "404.html",
      "docs/api/index.html",
      "admin/index.html",
      "login/index.html",
      "login/callback/index.html",
      "legal/index.html",
      "legal/privacy-policy/index.html",
      "__settings/index.html",
      "__settings/appearance/index.html",
      "__settings/service-worker/index.html",
      "manifest.webmanifest",
      "sw.js",
      "offline.html",
      "_headers",
      "mark.svg",
      "icons/home.svg",
    ])
      expect(files).toContain(path);
    for (const path of files.filter((name) => /(?:404|index)\.html$/.test(name)))
      expect(read(path)).toBe(read("index.html"));
    expect(files.filter((path) => /\.(?:map|ts)$/.test(path))).toEqual([]);
    const manifest = JSON.parse(read("manifest.webmanifest"));
    expect(manifest).toMatchObject({ id: "/", start_url: "/", display: "standalone", lang: "en" });
    expect(manifest.icons.map(({ sizes, purpose }: Record<string, string>) => `${sizes} ${purpose}`)).toEqual([
      "192x192 any",
      "512x512 any",
      "512x512 maskable",
    ]);
    for (const { src } of manifest.icons) expect(files).toContain(src.slice(1));
    const page = JSON.parse(/id="platform-page">(.*?)<\/script>/.exec(read("index.html"))?.[1] ?? "");
    expect(page.config.backend).toMatchObject({ url: "https://b.example.com", companyId: 7, adminPathname: "admin" });
    expect(page.config.storage).toMatchObject({
      url: "https://s.example.com",
      filesUrl: "https://f.example.com/files",
    });
    expect(read(page.config.legalDocuments.privacyPolicy.slice(1))).toBe(
      JSON.stringify({ html: "<p>We keep <strong>little</strong>.</p>\n" }),
    );
    expect(page.config.hosting).toBeUndefined();
  });

  it("writes equal bytes for equal input in any folder", async (context) => {
    const files = { "platform.config.ts": 'export default { favicon: "/f.svg" };', "static/f.svg": svg };
    const first = await buildSite(context, files);
    const second = await buildSite(context, files);
    expect(hashOf(first.web)).toBe(hashOf(second.web));
    await first.build();
    expect(hashOf(first.web)).toBe(hashOf(second.web));
    for (const path of first.list()) expect(first.read(path)).not.toContain(first.root);
  });

  it("lists the files for the service worker by content hash, and all copies of the page as one", async (context) => {
    const { read } = await buildSite(context, {
      "platform.config.ts": "export default {};",
      "static/a b.txt": "a",
      "static/icons/logo@2x,[é]+50%#?.png": "a",
      "static/big.bin": "x".repeat(2_000_001),
    });
    const list: { url: string; revision: string | null }[] = JSON.parse(
      /const list = (.*);$/.exec(read("sw.js"))?.[1] ?? "",
    );
    const urls = list.map(({ url }) => url);
    expect(urls).toEqual(urls.toSorted());
    expect(urls).toContain("/a%20b.txt");
    expect(urls).toContain("/icons/logo@2x,[%C3%A9]+50%25%23%3F.png");
    expect(urls).toContain("/index.html");
    expect(urls).toContain("/offline.html");
    for (const url of ["/big.bin", "/404.html", "/login/index.html", "/_headers", "/sw.js"])
      expect(urls).not.toContain(url);
    expect(list.find(({ url }) => url === "/assets/main-abcdefgh.js")?.revision).toBeNull();
  });

  it("writes neither service worker nor manifest for the desktop, and no service worker when it is disabled", async (context) => {
    const desktop = await buildSite(context, { "platform.config.ts": "export default {};" }, "desktop");
    expect(desktop.list().filter((path) => /sw\.js|webmanifest/.test(path))).toEqual([]);
    const withoutWorker = await buildSite(context, {
      "platform.config.ts": "export default { serviceWorker: false };",
    });
    expect(withoutWorker.list()).not.toContain("sw.js");
    expect(withoutWorker.list()).toContain("manifest.webmanifest");
  });

  it("keeps the previous site when it fails, and leaves no temporary files", async (context) => {
    const { root, web, build } = await buildSite(context, { "platform.config.ts": "export default {};" });
    const before = hashOf(web);
    writeFileSync(join(root, "platform.config.ts"), "export default { port: 'x' };");
    expect(await build()).toBe(1);
    expect(hashOf(web)).toBe(before);
    writeFileSync(join(root, "platform.config.ts"), "export default {};");
    rmSync(join(process.env.PLATFORM_SHELL ?? "", "offline.css"));
    await expect(build()).rejects.toThrow();
    expect(hashOf(web)).toBe(before);
    expect(readdirSync(join(root, "dist"))).toEqual(["web"]);
    expect(existsSync(join(root, "dist/.web"))).toBe(false);
  });

  it("escapes every configured text", async (context) => {
    const unsafeText = `</script><script>alert(1)</script><!--" ' & \u2028`;
    const { code, read } = await buildSite(context, {
      "platform.config.ts": `const evil = ${JSON.stringify(unsafeText)};
        export default { title: evil.slice(0, 100), messages: { en: { "login.title": evil } },
          navigation: [{ label: evil, path: "a", url: "https://a.example.com/?q=" + encodeURIComponent(evil) }],
          favicon: '/x" onload="alert(1).svg' };`,
    });
    expect(code).toBe(0);
    const html = read("index.html");
    expect(html).not.toContain("<script>alert");
    expect(html).toContain('<meta name="description" content="Everything of &lt;/script&gt;');
    expect(html).toContain('<link rel="icon" href="/x&quot; onload=&quot;alert(1).svg">');
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(JSON.parse(/id="platform-page">(.*?)<\/script>/.exec(html)?.[1] ?? "").config.title).toBe(
      unsafeText.slice(0, 100),
    );
  });

  it("lists configured origins in the Content-Security-Policy, and nothing that could end a directive", async (context) => {
    const { read } = await buildSite(context, {
      "platform.config.ts": `export default { navigation: [{ label: "A", path: "a", url: "http://10.0.0.1:5" }],
        storage: { url: "https://s.example.com/x" }, security: { connectOrigins: ["https://c.example.com:8443"], frameOrigins: ["http://f.example.com"] } };`,
    });
    const policy = /Content-Security-Policy: (.*)/.exec(read("_headers"))?.[1] ?? "";
    expect(policy).toContain("connect-src 'self' https://c.example.com:8443 https://s.example.com;");
    expect(policy).toContain("frame-src 'self' https: http://10.0.0.1:5 http://f.example.com;");
    expect(policy).toMatch(/script-src 'self' 'sha256-[^']+';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(read("index.html")).not.toContain("frame-ancestors");
  });

  it("applies no Content-Security-Policy to pages of static/, which may be separate applications", async (context) => {
    const { read } = await buildSite(context, {
      "platform.config.ts": "export default {};",
      "static/tool/index.html": "<p>",
    });
    const [first = ""] = read("_headers").split("/assets/*");
    expect(first).not.toContain("Content-Security-Policy");
    expect(read("_headers")).toMatch(/\n\/login\n {2}Cache-Control: no-cache\n {2}Content-Security-Policy/);
  });

  it("writes at most 100 header rules for hundreds of pages, and Cloudflare applies them to each page", async (context) => {
    const items = Array.from({ length: 300 }, (_, index) => ({
      label: `Item ${index}`,
      path: index === 7 ? "tool/board" : `item-${index}`,
      url: `http://app-${index}.example:8080`,
    }));
    const config = { navigation: items, security: { strictFrames: true } };
    const { code, err, web, read } = await buildSite(context, {
      "platform.config.ts": `export default ${JSON.stringify(config)};`,
      "static/tool/index.html": "<p>",
      "static/page.html": "<p>",
    });
    expect(code).toBe(0);
    expect(err.join("\n")).not.toContain("header-rules");
    const lines = read("_headers").split("\n");
    expect(lines.filter((line) => line.startsWith("/")).length).toBeLessThanOrEqual(100);
    expect(lines.filter((line) => line.length > 2_000)).toEqual([]);

    const readHeaders = await serveByCloudflare(context, web);
    for (const path of [
      "/",
      "/item-0/",
      "/item-299/",
      "/login/callback/",
      "/tool/board/",
      "/item-5/of/an/application",
    ]) {
      const headers = await readHeaders(path);
      expect(headers.get("content-security-policy"), path).toMatch(
        /script-src 'self' 'sha256-[^,]*object-src 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get("cache-control"), path).toBe("no-cache");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    }
    // Origins that do not fit into the header are in the page's own policy.
    expect(read("index.html")).toContain("http://app-299.example:8080");
    for (const path of ["/tool/", "/page"]) {
      expect((await readHeaders(path)).get("content-security-policy"), path).toBeNull();
      expect((await readHeaders(path)).get("x-content-type-options"), path).toBe("nosniff");
    }
    expect((await readHeaders("/assets/main-abcdefgh.js")).get("cache-control")).toBe(
      "public, max-age=31536000, immutable",
    );
    expect((await readHeaders("/sw.js")).get("cache-control")).toBe("no-cache");
  });

  it("warns when there are more header rules than hosts support", async (context) => {
    const pages = Array.from({ length: 60 }, (_, index) => [`static/page-${index}/index.html`, "<p>"]);
    const navigation = Array.from({ length: 60 }, (_, index) => ({
      label: "I",
      path: `i${index}`,
      url: "https://a.example",
    }));
    const { code, err } = await buildSite(context, {
      "platform.config.ts": `export default ${JSON.stringify({ navigation })};`,
      ...Object.fromEntries(pages),
    });
    expect(code).toBe(0);
    expect(err.join("\n")).toMatch(/warning header-rules: _headers has 122 rules/);
  });
});
