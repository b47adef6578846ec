// `npm run documents`: the OpenAPI document of each service, made from its routes, among the assets that the Workers serve.
// wrangler runs it before each upload, npm start and the tests do so themselves.
import { writeApiDocuments } from "./support/api-documents.ts";

await writeApiDocuments();
