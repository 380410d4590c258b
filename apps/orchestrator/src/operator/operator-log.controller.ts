import { Get, HttpStatus, Inject, Param, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { Operator } from '@app/configuration';
import { POSITION, type Position, type Revision, type StreamName } from '@app/event-store';
import { HttpReply } from '@app/http/server';
import {
  actingAlone,
  type CheckpointsAnswer,
  type ConsistencyProof,
  type EventName,
  type EventProofAnswer,
  type EventProofJson,
  LogInspection,
  type LogJson,
  parseVersion,
  QueryAudit,
  type RawEventJson,
} from '@app/investigation';
import type { Deadline } from '@app/kernel';
import { STREAM } from './history.requests';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { A_CURSOR, IsCursor, IsLimit, optional } from './operator.requests';
import { Question } from './question.pipe';
import { CallerDeadline, NotRecorded } from './read-action';

const CHECKPOINTS_MAX = 100;
const A_SIZE = 'must be the size of a checkpoint';
const SIZE = /^[1-9]\d{0,14}$/;
const A_REVISION = 'revision must be the number of an event in its stream, from 0';
const ONE_NAME = 'give either stream and revision, or position';

class ListCheckpointsRequest {
  @IsLimit(CHECKPOINTS_MAX)
  readonly limit: number = CHECKPOINTS_MAX;

  /** The `next` of the previous page. */
  @IsCursor()
  readonly cursor?: string;
}

class ProveEventRequest {
  /** With `revision`. */
  @optional(NotRecorded(), Matches(STREAM, { message: 'stream must be the name of a stream' }))
  readonly stream?: string;

  /** Number of the event in its stream, from 0. */
  @optional(NotRecorded(), Matches(/^(?:0|[1-9]\d{0,9})$/, { message: A_REVISION }))
  readonly revision?: string;

  /** In place of `stream` and `revision`. */
  @optional(NotRecorded(), Matches(POSITION, { message: 'position must be the position of an event' }))
  readonly position?: string;
}

class ConsistencyRequest {
  /** Size of the older checkpoint. */
  @NotRecorded()
  @Matches(SIZE, { message: `from ${A_SIZE}` })
  readonly from!: string;

  /** Size of the later checkpoint. Default: the newest. */
  @optional(NotRecorded(), Matches(SIZE, { message: `to ${A_SIZE}` }))
  readonly to?: string;
}

const PROOF_STATUS: Readonly<Record<EventProofAnswer['reason'], number>> = {
  proven: HttpStatus.OK,
  'unknown-event': HttpStatus.NOT_FOUND,
  'nothing-signed': HttpStatus.CONFLICT,
  'not-covered': HttpStatus.CONFLICT,
  'no-leaf': HttpStatus.CONFLICT,
  'event-differs': HttpStatus.INTERNAL_SERVER_ERROR,
};
const PROOF_ERRORS: Readonly<Record<Exclude<EventProofAnswer['reason'], 'proven'>, string>> = {
  'unknown-event': 'not found',
  'nothing-signed': 'no checkpoint was signed: set LOG_SIGNING_KEY',
  'not-covered': 'no checkpoint covers the event yet',
  'no-leaf': 'the event has no hash chain, so it is not in the tree',
  'event-differs': 'the event differs from the one that was signed: run orch log verify',
};

const nameOf = ({ stream, revision, position }: ProveEventRequest): EventName | undefined => {
  if (position !== undefined) return stream === undefined && revision === undefined ? { position: position as Position } : undefined;
  if (stream === undefined || revision === undefined) return undefined;
  return { stream: stream as StreamName, revision: BigInt(revision) as Revision };
};

/** With these answers and the log's public key, a reader verifies the record without this service. */
@OperatorRoutes()
export class OperatorLogController {
  constructor(
    @Inject(LogInspection) private readonly inspection: LogInspection,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * The signed log: its head, tree, newest checkpoint and witnesses
   */
  @Get('log')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-log')
  async log(@CallerDeadline() deadline: Deadline): Promise<HttpReply<LogJson>> {
    return HttpReply.json(HttpStatus.OK, await this.inspection.overview(deadline));
  }

  /**
   * The checkpoints that the log’s key signed, newest first
   */
  @Get('log/checkpoints')
  @OperatorRequest('list-checkpoints')
  async checkpoints(@Question(ListCheckpointsRequest) { limit, cursor }: ListCheckpointsRequest): Promise<HttpReply<CheckpointsAnswer>> {
    const page = await this.inspection.checkpoints(limit, cursor);
    return page === undefined ? HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR }) : HttpReply.json(HttpStatus.OK, page);
  }

  /**
   * Proof that an event is in the log: its leaf, the path to the root, and the newest signed checkpoint (RFC 6962)
   * @answer 404 Unknown event
   * @answer 409 No checkpoint covers the event yet, or nothing is signed
   * @answer 500 The event differs from the signed one, or the tree is damaged
   */
  @Get('log/proofs')
  @OperatorRequest('prove-event')
  async proof(
    @Question(ProveEventRequest) question: ProveEventRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<EventProofJson>> {
    const name = nameOf(question);
    if (name === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: ONE_NAME });
    const answer = await this.inspection.proof(name, operator, deadline);
    const { reason } = answer;
    const stream = reason === 'proven' ? answer.proof.stream : 'stream' in answer ? answer.stream : undefined;
    await this.questions.answered(actingAlone(operator), {
      query: 'prove-event',
      ...(stream !== undefined && { orderId: stream }),
      question,
      rows: stream === undefined ? 0 : 1,
    });
    return HttpReply.json(PROOF_STATUS[reason], reason === 'proven' ? answer.proof : { error: PROOF_ERRORS[reason] });
  }

  /**
   * Proof that a later checkpoint’s log begins with that of an earlier one (RFC 6962)
   * @answer 404 No checkpoint has this size
   * @answer 500 The tree is damaged
   */
  @Get('log/consistency')
  @OperatorRequest('prove-consistency')
  async consistency(@Question(ConsistencyRequest) { from, to }: ConsistencyRequest): Promise<HttpReply<ConsistencyProof>> {
    const answer = await this.inspection.consistency(Number(from), to === undefined ? undefined : Number(to));
    if (!('reason' in answer)) return HttpReply.json(HttpStatus.OK, answer);
    return answer.reason === 'backwards'
      ? HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'from is later than to' })
      : HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no checkpoint has this size' });
  }

  /**
   * One event as stored, with its sealed texts
   * @param stream The name of its stream.
   * @param revision Its number in the stream, from 0.
   * @answer 200 If its data could be used to charge a card, they are left out, and the digest that its leaf contains is given
   */
  @Get('audit/events/:stream/:revision')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-event')
  async event(
    @Param('stream') stream: string,
    @Param('revision') revision: string,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<RawEventJson>> {
    const number = parseVersion(revision);
    const isName = STREAM.test(stream) && number !== undefined;
    const name = { stream: stream as StreamName, revision: number as Revision };
    const event = isName ? await this.inspection.event(name, operator, deadline) : undefined;
    const question = { stream, revision };
    await this.questions.answered(actingAlone(operator), {
      query: 'show-event',
      ...(event === undefined ? { question } : { orderId: stream, question: { revision } }),
      rows: event === undefined ? 0 : 1,
    });
    return event === undefined ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found' }) : HttpReply.json(HttpStatus.OK, event);
  }
}
