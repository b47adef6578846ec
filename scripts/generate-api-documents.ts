// `npm run documents`: the OpenAPI document of each service and the mail library, generated among the assets of the Workers.
// wrangler runs it before each upload, npm start and the tests do so themselves.
import { writeWorkerAssets } from "./support/worker-assets.ts";

await writeWorkerAssets();
