import { All, Controller, Get, HttpStatus, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { isStoreAway } from '@app/order-processing';
import { messagePage, PAGE_POLICY, parseForm } from '@app/gateway-protocol';
import { HTML_TYPE, methodNotAllowed, readBody, sendAnswer } from '@app/serving';
import { PayerJourney } from './payer-journey';
import { readPlace, type PayerPlace } from './payer-place';

const STREAM = /^(payment|recurring|deviceVerification|transfer)-[a-z2-7]{52}$/;
const ATTEMPT_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AWAY = 'The payment cannot be shown at the moment.';
const RELOAD_SECONDS = 5;
const LOADS_ITSELF_AGAIN = messagePage({
  title: 'Payment',
  message: `${AWAY} This page loads itself again.`,
  reloadSeconds: RELOAD_SECONDS,
});
/** A page that loads itself again comes without what the form brought. */
const LOAD_AGAIN = messagePage({ title: 'Payment', message: `${AWAY} Load this page again, and let the browser send the form once more.` });

const named = (stream: string, key: string): PayerPlace | undefined =>
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
  async returned(
    @Param('stream') stream: string,
    @Param('key') key: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const read = await readBody(request);
    if (read.kind === 'aborted') return;
    const parsed = read.kind === 'read' ? parseForm(read.body) : undefined;
    if (parsed === undefined || 'refused' in parsed) {
      this.send(response, HttpStatus.BAD_REQUEST, messagePage({ title: 'Payment', message: 'The form could not be read.' }));
      return;
    }
    const brought = new Map(parsed.ok);
    await this.page(response, named(stream, key), (name, attempt) => this.journey.returned(name, attempt, brought), LOAD_AGAIN);
  }

  @All([':place', ':stream/:key/return'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'GET, POST');
  }

  private async page(
    response: Response,
    place: PayerPlace | undefined,
    show: (stream: StreamName, key: AttemptKey) => Promise<string | undefined>,
    whileAway = LOADS_ITSELF_AGAIN,
  ): Promise<void> {
    let html: string | undefined;
    try {
      html = place === undefined ? undefined : await show(place.stream, place.key);
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      this.journey.tell(error);
      this.send(response, HttpStatus.SERVICE_UNAVAILABLE, whileAway);
      return;
    }
    if (html === undefined) this.send(response, HttpStatus.NOT_FOUND, messagePage({ title: 'Not found', message: 'No such payment.' }));
    else this.send(response, HttpStatus.OK, html);
  }

  private send(response: Response, status: number, body: string): void {
    sendAnswer(response, { status, contentType: HTML_TYPE, body, policy: PAGE_POLICY });
  }
}
