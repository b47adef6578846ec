import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clock } from "../../workers/kit/clock";
import type { RateLimiter } from "../../workers/kit/limits/rate-limiter";
import type { Counter } from "../../workers/kit/limits/sliding-window";
