import { Controller, Get, HttpStatus, Inject, NotFoundException, Param } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { API_DOCUMENTS, type ApiDocuments } from './api-documents';
import { DOCUMENTS_POLICY } from './documents-page';

@Controller('docs')
export class DocumentsController {
  constructor(@Inject(API_DOCUMENTS) private readonly documents: ApiDocuments) {}

  @Get()
  page(): HttpReply {
    return HttpReply.page(HttpStatus.OK, this.documents.page(), DOCUMENTS_POLICY);
  }

  @Get(':file')
  async file(@Param('file') name: string): Promise<HttpReply> {
    const file = await this.documents.file(name);
    if (file === undefined) throw new NotFoundException();
    return new HttpReply({ status: HttpStatus.OK, ...file });
  }
}
