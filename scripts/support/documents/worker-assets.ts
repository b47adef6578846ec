import { writeLibraryAsset } from "../databases/library.ts";
import { writeApiDocuments } from "./api-documents.ts";

/** Writes the generated assets of the Workers: the OpenAPI documents and the mail library. */
export async function writeWorkerAssets(): Promise<void> {
  await Promise.all([writeApiDocuments(), writeLibraryAsset()]);
}
