import { All, Controller, Get, HttpStatus, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { isStoreAway } from '@app/order-processing';
import { messagePage, PAGE_POLICY, parseForm } from '@app/gateway-protocol';
import { bodyReader, HTML_TYPE, methodNotAllowed, type ReadBody, sendAnswer } from '@app/http-server';
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

/** The payer's browser: to the authentication and back (protocol decisions, section 7). The attempt's key in the path is the right to be here. */
@Controller('payer')
export class PayerController {
  constructor(@Inject(PayerJourney) private readonly journey: PayerJourney) {}

  @Get(':place')
  start(@Param('place') place: string, @Res() response: Response): Promise<void> {
    return this.page(response, readPlace(place), (name, attempt) => this.journey.start(name, attempt));
  }

  @Post(':place')
  startByPost(@Param('place') place: string, @Res() response: Response): Promise<void> {
    return this.start(place, response);
  }

  @Get(':stream/:key/return')
  look(@Param('stream') stream: string, @Param('key') key: string, @Res() response: Response): Promise<void> {
    return this.page(response, named(stream, key), (name, attempt) => this.journey.look(name, attempt));
  }

  @Post(':stream/:key/return')
  returned(@Param('stream') stream: string, @Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return readBody(request, (read) => this.brought(read, named(stream, key), response));
  }

  @All([':place', ':stream/:key/return'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'GET, POST');
  }

  private async brought(read: ReadBody, place: PayerLink | undefined, response: Response): Promise<void> {
    if (read.kind === 'aborted') return;
    if (read.kind === 'no-room') {
      this.send(response, HttpStatus.SERVICE_UNAVAILABLE, LOAD_AGAIN);
      return;
    }
    const parsed = read.kind === 'read' ? parseForm(read.body) : undefined;
    if (parsed === undefined || 'refused' in parsed) {
      this.send(response, HttpStatus.BAD_REQUEST, UNREADABLE);
      return;
    }
    const form = new Map(parsed.ok);
    await this.page(response, place, (name, attempt) => this.journey.returned(name, attempt, form), LOAD_AGAIN);
  }

  private async page(
    response: Response,
    place: PayerLink | undefined,
    show: (stream: StreamName, key: AttemptKey) => Promise<PayerPage | undefined>,
    whileAway = LOADS_ITSELF_AGAIN,
  ): Promise<void> {
    let page: PayerPage | undefined;
    try {
      page = place === undefined ? undefined : await show(place.stream, place.key);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      this.journey.tell(error);
      this.send(response, HttpStatus.SERVICE_UNAVAILABLE, whileAway);
      return;
    }
    if (page === undefined) this.send(response, HttpStatus.NOT_FOUND, UNKNOWN);
    else this.send(response, HttpStatus.OK, page);
  }

  /** By a header and not in the page: a reader of the page hears of it by its words. */
  private send(response: Response, status: number, { html: body, reloadSeconds }: PayerPage): void {
    if (reloadSeconds !== undefined) response.setHeader('Refresh', String(reloadSeconds));
    sendAnswer(response, { status, contentType: HTML_TYPE, body, policy: PAGE_POLICY });
  }
}
