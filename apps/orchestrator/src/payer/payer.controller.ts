import { All, Controller, Get, HttpStatus, Inject, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { isStoreAway } from '@app/order-processing';
import { messagePage, PAGE_POLICY, parseForm } from '@app/gateway-protocol';
import { bodyReader, HttpReply, type ReadBody } from '@app/http-server';
import { PayerJourney, type PayerPage } from './payer-journey';
import { readPlace, type PayerLink } from './payer-link';

/** What an authentication page posts is a few KiB; that of the oldest 3-D Secure may hold a signed message of tens. */
const BODY_BYTES_MAX = 65_536;
const readBody = bodyReader(BODY_BYTES_MAX);
const STREAM = /^(payment|recurring|deviceVerification|transfer)-[a-z2-7]{52}$/;
const ATTEMPT_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AWAY = 'The payment cannot be shown at the moment.';
const RELOAD_SECONDS = 5;
const LOOK_AGAIN = { href: '', text: 'Look again' };
const LOADS_ITSELF_AGAIN: PayerPage = {
  html: messagePage({ title: 'One moment', message: `${AWAY} This page loads itself again.`, link: LOOK_AGAIN }),
  reloadSeconds: RELOAD_SECONDS,
};
/** A page that loads itself again comes without what the form brought. */
const LOAD_AGAIN: PayerPage = {
  html: messagePage({ title: 'One moment', message: `${AWAY} Load this page again, and let the browser send the form once more.` }),
};
/** The way leads on from the page's own address: to the authentication, or back to the shop. */
const UNREADABLE: PayerPage = { html: messagePage({ title: 'Payment', message: 'The form could not be read.', link: LOOK_AGAIN }) };
const UNKNOWN: PayerPage = {
  html: messagePage({
    title: 'Not found',
    message: 'No such payment. Go back to the shop that you came from: it can tell how your order stands.',
  }),
};

const named = (stream: string, key: string): PayerLink | undefined =>
  STREAM.test(stream) && ATTEMPT_KEY.test(key) ? { stream: stream as StreamName, key: key as AttemptKey } : undefined;

/** The reload is a header and not in the page: a reader of the page hears of it by its words. */
const replyWith = (status: number, { html, reloadSeconds }: PayerPage): HttpReply =>
  HttpReply.page(status, html, PAGE_POLICY, reloadSeconds === undefined ? undefined : { Refresh: String(reloadSeconds) });

/** The payer's browser: to the authentication and back (protocol decisions, section 7). The attempt's key in the path is the right to be here. */
@Controller('payer')
export class PayerController {
  constructor(@Inject(PayerJourney) private readonly journey: PayerJourney) {}

  @Get(':place')
  start(@Param('place') place: string): Promise<HttpReply> {
    return this.page(readPlace(place), (name, attempt) => this.journey.start(name, attempt));
  }

  @Post(':place')
  startByPost(@Param('place') place: string): Promise<HttpReply> {
    return this.start(place);
  }

  @Get(':stream/:key/return')
  look(@Param('stream') stream: string, @Param('key') key: string): Promise<HttpReply> {
    return this.page(named(stream, key), (name, attempt) => this.journey.look(name, attempt));
  }

  @Post(':stream/:key/return')
  returned(@Param('stream') stream: string, @Param('key') key: string, @Req() request: Request): Promise<HttpReply> {
    return readBody(request, (read) => this.brought(read, named(stream, key)));
  }

  @All([':place', ':stream/:key/return'])
  otherMethod(): HttpReply {
    return HttpReply.methodNotAllowed('GET, POST');
  }

  private async brought(read: ReadBody, link: PayerLink | undefined): Promise<HttpReply> {
    if (read.kind === 'no-room') return replyWith(HttpStatus.SERVICE_UNAVAILABLE, LOAD_AGAIN);
    // Of a request that ended early too: nobody is there any more to be answered.
    const parsed = read.kind === 'read' ? parseForm(read.body) : undefined;
    if (parsed === undefined || 'refused' in parsed) return replyWith(HttpStatus.BAD_REQUEST, UNREADABLE);
    const form = new Map(parsed.ok);
    return this.page(link, (name, attempt) => this.journey.returned(name, attempt, form), LOAD_AGAIN);
  }

  private async page(
    link: PayerLink | undefined,
    show: (stream: StreamName, key: AttemptKey) => Promise<PayerPage | undefined>,
    whileAway = LOADS_ITSELF_AGAIN,
  ): Promise<HttpReply> {
    try {
      const page = link === undefined ? undefined : await show(link.stream, link.key);
      return page === undefined ? replyWith(HttpStatus.NOT_FOUND, UNKNOWN) : replyWith(HttpStatus.OK, page);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      this.journey.tell(error);
      return replyWith(HttpStatus.SERVICE_UNAVAILABLE, whileAway);
    }
  }
}
