import { All, Controller, Get, HttpStatus, Inject, Param } from '@nestjs/common';
import { messagePage, RECEIPT_POLICY, receiptPage } from '@app/gateway-protocol';
import { HttpReply } from '@app/http-server';
import { Receipts } from './receipts';

/** With the slash at its end, as the family writes it, or without. */
const PATH = ':endpointId/:receiptId{/}';
const UNKNOWN = messagePage({ title: 'Not found', message: 'No such receipt. The shop that you bought from can tell you its address.' });
const AWAY = messagePage({
  title: 'Receipt',
  message: 'The receipt cannot be shown at the moment.',
  link: { href: '', text: 'Look again' },
});

/** The printable receipt of an approved order (protocol decisions, section 1). Its address is the right to see it. */
@Controller('view-receipt')
export class ReceiptController {
  constructor(@Inject(Receipts) private readonly receipts: Receipts) {}

  @Get(PATH)
  async show(@Param('endpointId') endpointId: string, @Param('receiptId') receiptId: string): Promise<HttpReply> {
    const receipt = await this.receipts.find(endpointId, receiptId);
    if (receipt === 'unknown') return HttpReply.page(HttpStatus.NOT_FOUND, UNKNOWN, RECEIPT_POLICY);
    if (receipt === 'away') return HttpReply.page(HttpStatus.SERVICE_UNAVAILABLE, AWAY, RECEIPT_POLICY);
    return HttpReply.page(HttpStatus.OK, receiptPage(receipt), RECEIPT_POLICY);
  }

  @All(PATH)
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET');
  }
}
