import { DOCS_POLICY, docsPage } from './docs-page';
import { groupADocument } from './group-a.document';
import { DOCUMENTED_PATHS } from './group-a.paths';
import { operatorDocument } from './operator.document';

export interface DocumentAddresses {
  /** Of the merchant API, with its prefix. */
  readonly groupA: string;
  /** Of the operator's port, as it is reached from beside it. */
  readonly operator: string;
}

/** Of the documents, not of the software: it goes up when what they say changes. */
const VERSION = '1';

export interface Documents {
  readonly page: string;
  readonly policy: string;
  /** By file name; JSON. */
  readonly files: ReadonlyMap<string, string>;
}

export const makeDocuments = (addresses: DocumentAddresses): Documents => {
  const documents = [
    { file: 'group-a.json', document: groupADocument(DOCUMENTED_PATHS, addresses.groupA, VERSION) },
    { file: 'operator.json', document: operatorDocument(addresses.operator, VERSION) },
  ];
  return {
    page: docsPage(documents),
    policy: DOCS_POLICY,
    files: new Map(documents.map(({ file, document }) => [file, `${JSON.stringify(document, undefined, 2)}\n`])),
  };
};
