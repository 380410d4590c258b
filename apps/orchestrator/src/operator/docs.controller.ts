import { Controller, Get, HttpStatus, Inject, NotFoundException, Param } from '@nestjs/common';
import { HttpReply } from '@app/http-server';
import { token } from '@app/injection';
import type { DocumentAddresses, Documents } from './docs/documents';

export const DOCUMENT_ADDRESSES = token<DocumentAddresses>('DOCUMENT_ADDRESSES');

const JSON_TYPE = 'application/json;charset=utf-8';

/** OpenAPI of the APIs, on the operator's port. Made when somebody first asks: a start pays nothing for it. */
@Controller('docs')
export class DocsController {
  #documents: Promise<Documents> | undefined;

  constructor(@Inject(DOCUMENT_ADDRESSES) private readonly addresses: DocumentAddresses) {}

  @Get()
  async page(): Promise<HttpReply> {
    const { page, policy } = await this.documents();
    return HttpReply.page(HttpStatus.OK, page, policy);
  }

  @Get(':file')
  async file(@Param('file') file: string): Promise<HttpReply> {
    const body = (await this.documents()).files.get(file);
    if (body === undefined) throw new NotFoundException();
    return new HttpReply({ status: HttpStatus.OK, contentType: JSON_TYPE, body });
  }

  private documents(): Promise<Documents> {
    this.#documents ??= import('./docs/documents.js').then(({ makeDocuments }) => makeDocuments(this.addresses));
    return this.#documents;
  }
}
