import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { token } from '@app/kernel/injection';
import { documentsPage, documentsScript, type OfferedDocument } from './documents-page';

/** Absolute paths of the folders with the documents and with the files of Swagger UI. */
interface DocumentFolders {
  readonly documents: string;
  readonly ui: string;
}

interface DocumentFile {
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json;charset=utf-8';
const SCRIPT_TYPE = 'text/javascript;charset=utf-8';
const STYLE_TYPE = 'text/css;charset=utf-8';
/** The files of Swagger UI that the page loads. */
const UI_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', STYLE_TYPE],
  ['swagger-ui-bundle.js', SCRIPT_TYPE],
  ['swagger-ui-standalone-preset.js', SCRIPT_TYPE],
]);
const PAGE_SCRIPT = 'documents.js';

/** The documents that the port of this application offers. */
export const API_DOCUMENTS = token<ApiDocuments>('API_DOCUMENTS');

/** The build copies both folders beside the programs; a checkout that was not built has them elsewhere. @param root the folder of package.json */
export const documentFolders = (root: string): DocumentFolders => {
  const built = join(root, 'dist', 'docs');
  return existsSync(built)
    ? { documents: join(built, 'openapi'), ui: join(built, 'swagger-ui') }
    : { documents: join(root, 'docs', 'openapi'), ui: join(root, 'node_modules', 'swagger-ui-dist') };
};

/** The OpenAPI documents that a port offers, with the page that shows them. Files are read at a request, so that they cost nothing at the start. */
export class ApiDocuments {
  readonly #offered: ReadonlyMap<string, OfferedDocument>;

  constructor(
    private readonly folders: DocumentFolders,
    offered: readonly OfferedDocument[],
  ) {
    this.#offered = new Map(offered.map((document) => [document.file, document]));
  }

  page(): string {
    return documentsPage();
  }

  /** Undefined for any other name. */
  async file(name: string): Promise<DocumentFile | undefined> {
    const document = this.#offered.get(name);
    if (document !== undefined) return { contentType: JSON_TYPE, body: await this.#documentOf(document) };
    if (name === PAGE_SCRIPT) return { contentType: SCRIPT_TYPE, body: documentsScript([...this.#offered.values()]) };
    const contentType = UI_FILES.get(name);
    return contentType === undefined ? undefined : { contentType, body: await readFile(join(this.folders.ui, name), 'utf8') };
  }

  async #documentOf({ file, server }: OfferedDocument): Promise<string> {
    const text = await readFile(join(this.folders.documents, file), 'utf8');
    return server === undefined ? text : JSON.stringify({ ...(JSON.parse(text) as object), servers: [{ url: server }] });
  }
}
