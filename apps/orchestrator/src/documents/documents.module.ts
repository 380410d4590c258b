import { Module, type DynamicModule } from '@nestjs/common';
import { packageRoot } from '@app/configuration';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { provide, token, type Token } from '@app/injection';
import { API_DOCUMENTS, ApiDocuments, documentFolders } from './api-documents';
import { DocumentsController } from './documents.controller';
import type { OfferedDocument } from './offered-document';

/** The documents of the operator port, which is an application of its own. */
export const OPERATOR_DOCUMENTS = token<ApiDocuments>('OPERATOR_DOCUMENTS');

/** @param gateway the public address with its prefix */
const offeredToMerchants = (gateway: string): readonly OfferedDocument[] => [
  { file: 'group-a.json', title: 'Merchant API (Group A)', server: gateway },
  { file: 'group-b.json', title: 'Device API (Group B)', server: gateway },
  { file: 'merchant-server.json', title: 'Merchant server (Group B)' },
];

const offeredToOperators = (gateway: string): readonly OfferedDocument[] => [
  { file: 'operator.json', title: 'Operator API', server: '/' },
  ...offeredToMerchants(gateway),
];

const documents = (what: Token<ApiDocuments>, offered: (gateway: string) => readonly OfferedDocument[]) =>
  provide(
    what,
    { configuration: CONFIGURATION },
    ({ configuration: { publicBaseUrl, pathPrefix } }) =>
      new ApiDocuments(documentFolders(packageRoot()), offered(publicBaseUrl + pathPrefix)),
  );

/** The documents of the APIs: always for operators, and on the public port where the configuration offers them to merchants' developers. */
@Module({})
export class DocumentsModule {
  /** @param isPublic whether the port of this application offers them too */
  static forRoot(isPublic: boolean): DynamicModule {
    return {
      module: DocumentsModule,
      controllers: isPublic ? [DocumentsController] : [],
      providers: [documents(API_DOCUMENTS, offeredToMerchants), documents(OPERATOR_DOCUMENTS, offeredToOperators)],
      exports: [OPERATOR_DOCUMENTS],
    };
  }
}
