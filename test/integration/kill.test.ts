import { checkKills } from "../support/webhooks/kill-suite";

// Kills all Workers once under load. `npm run soak` also kills them during retries, with hanging and failing receivers
// (test/soak/webhooks.soak.ts).
checkKills({
  cases: {
    ok: { company: 201, receiver: 0, status: "delivered", attempts: 1, code: null, http: 200 },
    "410": { company: 201, receiver: 0, status: "dead", attempts: 1, code: "http_status", http: 410 },
    "from-3": { company: 202, receiver: 0, status: "delivered", attempts: 3, code: null, http: 200 },
    "slow-50": { company: 202, receiver: 1, status: "delivered", attempts: 1, code: null, http: 200 },
  },
  amounts: new Map([
    [201, 60],
    [202, 40],
  ]),
  firstKills: 1,
  retryKills: [],
});
