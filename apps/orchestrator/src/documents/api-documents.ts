import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { token } from '@app/kernel/injection';
import { documentsPage, documentsScript, type OfferedDocument } from './documents-page';

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
const UI_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', STYLE_TYPE],
  ['swagger-ui-bundle.js', SCRIPT_TYPE],
  ['swagger-ui-standalone-preset.js', SCRIPT_TYPE],
]);
const PAGE_SCRIPT = 'documents.js';

export const API_DOCUMENTS = token<ApiDocuments>('API_DOCUMENTS');

/** The build copies both folders next to the programs. A checkout without a build has them elsewhere. */
export const documentFolders = (root: string): DocumentFolders => {
  const built = join(root, 'dist', 'docs');
  return existsSync(built)
    ? { documents: join(built, 'openapi'), ui: join(built, 'swagger-ui') }
    : { documents: join(root, 'docs', 'openapi'), ui: join(root, 'node_modules', 'swagger-ui-dist') };
};

/** Reads files only when requested, so that they do not slow the start. */
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
