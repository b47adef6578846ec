import { type Case, checkKills } from "../support/webhooks/kill-suite";

const dead = { status: "dead", attempts: 8 };

const cases: Record<string, Case> = {
  ok: { company: 201, receiver: 0, status: "delivered", attempts: 1, code: null, http: 200 },
  "410": { company: 201, receiver: 0, status: "dead", attempts: 1, code: "http_status", http: 410 },
  moved: { company: 201, receiver: 0, status: "dead", attempts: 1, code: "redirect_blocked", http: 301 },
  "from-3": { company: 202, receiver: 0, status: "delivered", attempts: 3, code: null, http: 200 },
  "slow-50": { company: 202, receiver: 1, status: "delivered", attempts: 1, code: null, http: 200 },
  "500": { company: 203, receiver: 1, ...dead, code: "http_status", http: 500 },
  "404": { company: 203, receiver: 1, ...dead, code: "http_status", http: 404 },
  "429-after-7": { company: 203, receiver: 1, ...dead, code: "http_status", http: 429 },
  closed: { company: 203, receiver: 2, ...dead, code: "connection_error" },
  never: { company: 204, receiver: 3, ...dead, code: "timeout" },
  drippinghead: { company: 204, receiver: 4, ...dead, code: "timeout" },
  drip: { company: 204, receiver: 5, ...dead, code: "http_status", http: 500 },
  dripok: { company: 204, receiver: 5, status: "delivered", attempts: 1, code: null, http: 200 },
};

const amounts = new Map([
  [201, 120],
  [202, 80],
  [203, 24],
  [204, 3],
]);

checkKills({ cases, amounts, firstKills: 2, retryKills: [1, 4] });
