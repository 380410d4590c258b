import { Get, HttpStatus, Inject, Req } from '@nestjs/common';
import { Length } from 'class-validator';
import type { Request } from 'express';
import type { Operator } from '@app/configuration';
import { HttpReply, HttpStream } from '@app/http/server';
import { actingAlone, type FeedItem, type FeedPlace, OrderFeed, QueryAudit } from '@app/investigation';
import { OperatorRoutes } from './operator.filter';
import { AccessDenied, CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { optional } from './operator.requests';
import { Question } from './question.pipe';
import { NotRecorded } from './read-action';

const POSITION_LENGTH_MAX = 64;
const EVENT_STREAM = 'text/event-stream;charset=utf-8';
const READ_FEED = 'read-feed';

class FeedRequest {
  /** The position of the last item that the reader has. The header `Last-Event-ID` takes precedence. Default: only new events. */
  @optional(NotRecorded(), Length(1, POSITION_LENGTH_MAX, { message: 'from must be a position of the feed' }))
  readonly from?: string;
}

const refusalOf = (reason: Exclude<FeedPlace['reason'], 'ready'>): HttpReply<FeedItem> => {
  switch (reason) {
    case 'too-many':
      return HttpReply.json(HttpStatus.SERVICE_UNAVAILABLE, { error: 'too many readers: connect again later' }, { 'Retry-After': '5' });
    case 'malformed':
      return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'from must be a position of the feed' });
    case 'beyond-log':
      return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'the log ends before this position: begin again without it' });
  }
};

@OperatorRoutes('feed')
export class OperatorFeedController {
  constructor(
    @Inject(OrderFeed) private readonly feed: OrderFeed,
    @Inject(OperatorGuard) private readonly guard: OperatorGuard,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * New events of orders, callbacks, reconciliation cases and erasures, as server-sent events in the order of the log
   * @answer 200 `id` is the position, which a reader sends back to resume. Ends with the event `end` and its reason: slow, access, renewal, stopping or unavailable
   */
  @Get()
  @OperatorRequest(READ_FEED)
  async read(
    @Question(FeedRequest) { from }: FeedRequest,
    @CurrentOperator() operator: Operator,
    @Req() request: Request,
  ): Promise<HttpReply<FeedItem>> {
    const header = request.headers['last-event-id'];
    const after = typeof header === 'string' && header !== '' ? header : from;
    const place = await this.feed.place(after);
    if (place.reason !== 'ready') return refusalOf(place.reason);
    const { position } = place;
    // Once for all of its items.
    await this.questions.answered(actingAlone(operator), { query: READ_FEED, question: { from: after }, rows: 0 });
    return new HttpStream(EVENT_STREAM, (response) => this.feed.read(response, { position, admit: () => this.admitAgain(request) }));
  }

  private admitAgain(request: Request): Operator | undefined {
    try {
      return this.guard.admit(request, READ_FEED);
    } catch (error) {
      if (error instanceof AccessDenied) return undefined;
      throw error;
    }
  }
}
