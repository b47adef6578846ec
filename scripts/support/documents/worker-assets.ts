import { writeLibraryAsset } from "../databases/library.ts";
import { drawLibraryPictures } from "../mail-pictures/draw.ts";
import { writeApiDocuments } from "./api-documents.ts";

/** Writes the generated assets of the Workers: the OpenAPI documents, the mail library and its pictures. */
export async function writeWorkerAssets(): Promise<void> {
  await Promise.all([writeApiDocuments(), writeLibraryAsset(), drawLibraryPictures()]);
}
