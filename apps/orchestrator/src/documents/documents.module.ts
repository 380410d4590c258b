import { Module, type DynamicModule } from '@nestjs/common';
import { packageRoot } from '@app/configuration';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { provide, token, type Token } from '@app/kernel/injection';
import { API_DOCUMENTS, ApiDocuments, documentFolders } from './api-documents';
import { DocumentsController } from './documents.controller';
import type { OfferedDocument } from './documents-page';

export const OPERATOR_DOCUMENTS = token<ApiDocuments>('OPERATOR_DOCUMENTS');

const offeredToMerchants = (gateway: string): readonly OfferedDocument[] => [
  { file: 'group-a.json', title: 'Merchant API (Group A)', server: gateway },
  { file: 'group-b.json', title: 'Device API (Group B)', server: gateway },
  { file: 'merchant-server.json', title: 'Merchant server (Group B)' },
];

const offeredToOperators = (gateway: string): readonly OfferedDocument[] => [
  { file: 'operator.json', title: 'Operator API', server: '/' },
  ...offeredToMerchants(gateway),
];

const provideDocuments = (documents: Token<ApiDocuments>, offered: (gateway: string) => readonly OfferedDocument[]) =>
  provide(
    documents,
    { configuration: CONFIGURATION },
    ({ configuration: { publicBaseUrl, pathPrefix } }) =>
      new ApiDocuments(documentFolders(packageRoot()), offered(publicBaseUrl + pathPrefix)),
  );

/** Operators always have the documents. The public port has them only if the configuration allows it. */
@Module({})
export class DocumentsModule {
  static forRoot(isPublic: boolean): DynamicModule {
    return {
      module: DocumentsModule,
      controllers: isPublic ? [DocumentsController] : [],
      providers: [provideDocuments(API_DOCUMENTS, offeredToMerchants), provideDocuments(OPERATOR_DOCUMENTS, offeredToOperators)],
      exports: [OPERATOR_DOCUMENTS],
    };
  }
}
