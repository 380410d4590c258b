import { DOCS_POLICY, docsPage } from './docs-page';
import { groupADocument } from './group-a.document';
import { DOCUMENTED_PATHS } from './group-a.paths';
import { groupBDocument } from './group-b.document';
import { operatorDocument } from './operator.document';

export interface DocumentAddresses {
  /** Of the merchant and the device API, with their prefix. */
  readonly gateway: string;
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
    { file: 'group-a.json', document: groupADocument(DOCUMENTED_PATHS, addresses.gateway, VERSION) },
    { file: 'group-b.json', document: groupBDocument(addresses.gateway, VERSION) },
    { file: 'operator.json', document: operatorDocument(addresses.operator, VERSION) },
  ];
  return {
    page: docsPage(documents),
    policy: DOCS_POLICY,
    files: new Map(documents.map(({ file, document }) => [file, `${JSON.stringify(document, undefined, 2)}\n`])),
  };
};
