import { All, Controller, Get, HttpStatus, Inject, Param } from '@nestjs/common';
import { messagePage, RECEIPT_POLICY, receiptPage } from '@app/gateway-protocol';
import { HttpReply } from '@app/http/server';
import { Receipts } from './receipts';

/** The slash at the end is part of the documented address, and accepted when it is absent (protocol decisions, D1.2). */
const PATH = ':endpointId/:receiptId{/}';
const NOT_FOUND_PAGE = messagePage({
  title: 'Not found',
  message: 'No such receipt. The shop that you bought from can tell you its address.',
});
const UNAVAILABLE_PAGE = messagePage({
  title: 'Receipt',
  message: 'The receipt cannot be shown at the moment.',
  link: { href: '', text: 'Look again' },
});

/** The printable receipt of an approved order. Knowing its address permits to see it (protocol decisions, D1.2). */
@Controller('view-receipt')
export class ReceiptController {
  constructor(@Inject(Receipts) private readonly receipts: Receipts) {}

  @Get(PATH)
  async show(@Param('endpointId') endpointId: string, @Param('receiptId') receiptId: string): Promise<HttpReply> {
    const receipt = await this.receipts.find(endpointId, receiptId);
    if (receipt === 'unknown') return HttpReply.page(HttpStatus.NOT_FOUND, NOT_FOUND_PAGE, RECEIPT_POLICY);
    if (receipt === 'unavailable') return HttpReply.page(HttpStatus.SERVICE_UNAVAILABLE, UNAVAILABLE_PAGE, RECEIPT_POLICY);
    return HttpReply.page(HttpStatus.OK, receiptPage(receipt), RECEIPT_POLICY);
  }

  @All(PATH)
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET');
  }
}
