import { pageHeaders } from "../page/policy.ts";

/**
 * `_headers`, as static hosts read it. The policy is for the shell's own pages: where `static/` has pages of its own, those of the
 * shell are named one by one, so that an application among them keeps working in its frame.
 */
export function renderHeaders(policy: string, paths: readonly string[], hasOwnPages: boolean): string {
  const policyLine = `Content-Security-Policy: ${policy}`;
  const shared = Object.entries(pageHeaders).map(([name, value]) => `${name}: ${value}`);
  const pages = [
    "/",
    "/index.html",
    "/404.html",
    ...paths.flatMap((path) => [`/${path}`, `/${path}/`, `/${path}/index.html`]),
  ];
  const rules: [string, string[]][] = [
    ["/*", hasOwnPages ? shared : [policyLine, ...shared]],
    ["/assets/*", ["Cache-Control: public, max-age=31536000, immutable"]],
    ...["/sw.js", "/manifest.webmanifest", "/offline.html"].map((path): [string, string[]] => [
      path,
      ["Cache-Control: no-cache"],
    ]),
    ...pages.map((path): [string, string[]] => [
      path,
      ["Cache-Control: no-cache", ...(hasOwnPages ? [policyLine] : [])],
    ]),
  ];
  return rules.map(([path, lines]) => [path, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n");
}
