import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Prompts } from "../../scripts/deploy/prompts.ts";
import { openBench } from "../support/cloudflare/deployments.ts";

/** Answers prompts by their message. Takes the suggestion of a question without an answer. */
function answering(texts: Record<string, string>, isConfirmed: boolean) {
  const asked: string[] = [];
  const prompts: Prompts = {
    text: async (message, suggestion, validate) => {
      asked.push(message);
      const value = texts[message] ?? suggestion;
      expect(validate(value), message).toBeUndefined();
      return value;
    },
    select: async (message, options) => {
      asked.push(`${message}: ${options.map(({ label }) => label).join(", ")}`);
      return texts[message] ?? "";
    },
    confirm: async (message) => {
      asked.push(message);
      return isConfirmed;
    },
  };
  return { prompts, asked };
}

const texts = {
  "Public addresses of the services": "one",
  "How the platform sends its mail": "smtp",
  "Host of the SMTP server": "smtp.example.com",
  "Name of the first company": "Aster Labs",
  "Email address of its owner": "Owner@Example.com ",
};

const copyQuestion = "File for a copy of the secrets, which nobody can read in the account later (empty: no copy)";

it("asks for what the flags leave open, and changes nothing without a confirmation", async (context) => {
  const bench = await openBench(context);
  const { prompts, asked } = answering({ ...texts, [copyQuestion]: "" }, false);
  await expect(bench.run(["--from", "hello@example.com"], { prompts })).resolves.toBe(false);
  expect(asked).toEqual([
    expect.stringMatching(/^Public addresses of the services: identity\.example\.com, email\.example\.com/),
    "Host of all services",
    expect.stringMatching(/^How the platform sends its mail: .*SMTP/),
    "Host of the SMTP server",
    "Name of the first company",
    "Email address of its owner",
    "Email address of the first staff member, who has access to all companies",
    copyQuestion,
    "Carry out this plan?",
  ]);
  expect(bench.cloudflare.changes).toEqual([]);
});

it("deploys what was answered and confirmed", async (context) => {
  const bench = await openBench(context);
  const copy = bench.secretsFile();
  const { prompts } = answering({ ...texts, [copyQuestion]: copy }, true);
  await expect(bench.run([], { prompts })).resolves.toBe(true);
  const { email } = JSON.parse(readFileSync(copy, "utf8"));
  expect(email).toEqual(Object.fromEntries(bench.cloudflare.state.scripts.get("platform-email")?.secrets ?? []));
  const { company, owner, staff, from, hosts, settings } = bench.record();
  expect({ company, owner, staff, from, hosts, settings }).toEqual({
    company: "Aster Labs",
    owner: "owner@example.com",
    staff: "owner@example.com",
    from: "no-reply@example.com",
    hosts: { all: "platform.example.com" },
    settings: { email: { EMAIL_HOST: "smtp.example.com" } },
  });
});
