import { All, Controller, Get, HttpStatus, Inject, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { messagePage, PAGE_POLICY, parseForm } from '@app/gateway-protocol';
import { bodyReader, HttpReply, type ReadBody } from '@app/http/server';
import { isStoreAway } from '../../application/order-work-failed';
import type { PayerPage } from './order-page';
import { PayerJourney } from './payer-journey';
import { decodePayerLink, readPayerLink, type PayerLink } from './payer-link';

/** An authentication page of 3-D Secure 1 may post a signed message of tens of KiB. */
const BODY_BYTES_MAX = 65_536;
const readBody = bodyReader(BODY_BYTES_MAX);
const AWAY = 'The payment cannot be shown at the moment.';
const RELOAD_SECONDS = 5;
const RELOAD_LINK = { href: '', text: 'Reload' };
const RELOADING_PAGE: PayerPage = {
  html: messagePage({ title: 'One moment', message: `${AWAY} This page reloads automatically.`, link: RELOAD_LINK }),
  reloadSeconds: RELOAD_SECONDS,
};
/** Reloaded by the payer, because an automatic reload would lose the posted form. */
const RESUBMIT_PAGE: PayerPage = {
  html: messagePage({ title: 'One moment', message: `${AWAY} Reload this page and confirm that the browser may send the form again.` }),
};
/** Links to its own address, which leads on to the authentication or back to the shop. */
const UNREADABLE_FORM_PAGE: PayerPage = {
  html: messagePage({ title: 'Payment', message: 'The form could not be read.', link: RELOAD_LINK }),
};
const NOT_FOUND_PAGE: PayerPage = {
  html: messagePage({
    title: 'Not found',
    message: 'There is no such payment. Go back to the shop and check your order there.',
  }),
};

/** The reload is a header; the page's text announces it. */
const replyWith = (status: number, { html, reloadSeconds, policy = PAGE_POLICY }: PayerPage): HttpReply =>
  HttpReply.page(status, html, policy, reloadSeconds === undefined ? undefined : { Refresh: String(reloadSeconds) });

/** The attempt key in the path is the payer's permission (protocol decisions, D7.2). */
@Controller('payer')
export class PayerController {
  constructor(@Inject(PayerJourney) private readonly journey: PayerJourney) {}

  @Get(':link')
  start(@Param('link') link: string): Promise<HttpReply> {
    return this.replyWithPage(decodePayerLink(link), ({ stream, key }) => this.journey.startAuthentication(stream, key));
  }

  @Post(':link')
  startByPost(@Param('link') link: string): Promise<HttpReply> {
    return this.start(link);
  }

  @Get(':stream/:key/return')
  showOrder(@Param('stream') stream: string, @Param('key') key: string): Promise<HttpReply> {
    return this.replyWithPage(readPayerLink(stream, key), (link) => this.journey.showOrder(link.stream, link.key));
  }

  @Post(':stream/:key/return')
  completeAuthentication(@Param('stream') stream: string, @Param('key') key: string, @Req() request: Request): Promise<HttpReply> {
    return readBody(request, (read) => this.replyToReturn(read, readPayerLink(stream, key)));
  }

  @All([':link', ':stream/:key/return'])
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET, POST');
  }

  private async replyToReturn(read: ReadBody, link: PayerLink | undefined): Promise<HttpReply> {
    if (read.kind === 'no-room') return replyWith(HttpStatus.SERVICE_UNAVAILABLE, RESUBMIT_PAGE);
    const parsed = read.kind === 'read' ? parseForm(read.body) : undefined;
    if (parsed === undefined || 'refused' in parsed) return replyWith(HttpStatus.BAD_REQUEST, UNREADABLE_FORM_PAGE);
    const form = new Map(parsed.ok);
    return this.replyWithPage(link, ({ stream, key }) => this.journey.completeAuthentication(stream, key, form), RESUBMIT_PAGE);
  }

  private async replyWithPage(
    link: PayerLink | undefined,
    show: (link: PayerLink) => Promise<PayerPage | undefined>,
    unavailablePage = RELOADING_PAGE,
  ): Promise<HttpReply> {
    try {
      const page = link === undefined ? undefined : await show(link);
      return page === undefined ? replyWith(HttpStatus.NOT_FOUND, NOT_FOUND_PAGE) : replyWith(HttpStatus.OK, page);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      this.journey.reportFailure(error);
      return replyWith(HttpStatus.SERVICE_UNAVAILABLE, unavailablePage);
    }
  }
}
