import { All, Controller, Get, HttpStatus, Inject, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { messagePage, RECEIPT_POLICY, receiptPage } from '@app/gateway-protocol';
import { HTML_TYPE, methodNotAllowed, sendAnswer } from '@app/http-server';
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
  async show(@Param('endpointId') endpointId: string, @Param('receiptId') receiptId: string, @Res() response: Response): Promise<void> {
    const receipt = await this.receipts.find(endpointId, receiptId);
    if (receipt === 'unknown') this.send(response, HttpStatus.NOT_FOUND, UNKNOWN);
    else if (receipt === 'away') this.send(response, HttpStatus.SERVICE_UNAVAILABLE, AWAY);
    else this.send(response, HttpStatus.OK, receiptPage(receipt));
  }

  @All(PATH)
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'GET');
  }

  private send(response: Response, status: number, body: string): void {
    sendAnswer(response, { status, contentType: HTML_TYPE, body, policy: RECEIPT_POLICY });
  }
}
