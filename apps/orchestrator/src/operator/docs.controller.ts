import { Controller, Get, HttpStatus, Inject, NotFoundException, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { HTML_TYPE, sendAnswer } from '@app/http-server';
import type { DocumentAddresses, Documents } from './docs/documents';

export const DOCUMENT_ADDRESSES = Symbol('DOCUMENT_ADDRESSES');

const JSON_TYPE = 'application/json;charset=utf-8';

/** OpenAPI of the APIs, on the operator's port. Made when somebody first asks: a start pays nothing for it. */
@Controller('docs')
export class DocsController {
  #documents: Promise<Documents> | undefined;

  constructor(@Inject(DOCUMENT_ADDRESSES) private readonly addresses: DocumentAddresses) {}

  @Get()
  async page(@Res() response: Response): Promise<void> {
    const { page, policy } = await this.documents();
    sendAnswer(response, { status: HttpStatus.OK, contentType: HTML_TYPE, body: page, policy });
  }

  @Get(':file')
  async file(@Param('file') file: string, @Res() response: Response): Promise<void> {
    const body = (await this.documents()).files.get(file);
    if (body === undefined) throw new NotFoundException();
    sendAnswer(response, { status: HttpStatus.OK, contentType: JSON_TYPE, body });
  }

  private documents(): Promise<Documents> {
    this.#documents ??= import('./docs/documents.js').then(({ makeDocuments }) => makeDocuments(this.addresses));
    return this.#documents;
  }
}
