import { expect, test } from "vitest";
import { isNavigation } from "../../../shell/client/sw/requests.ts";

test("handles every address of the shell except sign-in addresses", () => {
  const isAnswered = (address: string) => {
    const headers = new Headers();
    const request = { method: "GET", mode: "navigate", destination: "document", headers } as Request;
    return isNavigation({ request, url: new URL(address, "https://shell.example"), sameOrigin: true });
  };
  for (const address of ["/orders?state=open", "/shop?code=SUMMER", "/login?next=%2F", "/logins?code=1"])
    expect([address, isAnswered(address)]).toEqual([address, true]);
  for (const address of [
    "/login/callback?code=1",
    "/login?state=1",
    "/orders?platform_auth_code=1",
    "/?platform_oauth_error_code=access_denied",
  ])
    expect([address, isAnswered(address)]).toEqual([address, false]);
});
