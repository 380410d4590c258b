import { Get, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline } from '@app/kernel';
import {
  actingAlone,
  actingFor,
  APPROVAL_STATES,
  byOf,
  OperatorLists,
  QueryAudit,
  type ApprovalState,
  type ListedApprovals,
  type ShownApproval,
} from '@app/investigation';
import { Action } from './action.pipe';
import { approvalReply, refusalReply, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import {
  A_CURSOR,
  IsReason,
  LIMIT_DEFAULT,
  PageRequest,
  alone,
  OperatorActionRequest,
  optional,
  ReasonedAction,
} from './operator.requests';
import { Question } from './question.pipe';
import { CallerDeadline } from './read-action';

const STATES = Object.keys(APPROVAL_STATES) as ApprovalState[];

class ListApprovalsRequest extends PageRequest {
  /** `waiting`: for a decision, oldest first. `approved`: the execution is not recorded. Absent: all, newest first. */
  @optional(IsIn(STATES, { message: `state must be one of ${STATES.join(', ')}` }))
  readonly state?: ApprovalState;

  /** Only proposals of the caller. */
  @optional(IsIn(['true', 'false'], { message: 'mine must be true or false' }))
  readonly mine?: 'true' | 'false';
}

class ApproveRequest extends OperatorActionRequest {
  /** Free text, which is stored sealed. Required to act alone. */
  @optional(IsReason())
  readonly reason?: string;

  /** An admin approves as the only person, its own proposal too. Raises an alarm. */
  @alone()
  readonly alone?: boolean;
}

class RejectRequest extends ReasonedAction {}

class ExecuteRequest extends OperatorActionRequest {}

/** Actions that a second person must approve, by the rules of the configuration. */
@OperatorRoutes('approvals')
export class OperatorApprovalsController {
  constructor(
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
    @Inject(OperatorLists) private readonly lists: OperatorLists,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * Proposals of actions, by the time of the proposal
   * @answer 200 A page. At most 500
   */
  @Get()
  @OperatorRequest('list-approvals')
  async list(
    @Question(ListApprovalsRequest) { limit = LIMIT_DEFAULT, cursor, state, mine }: ListApprovalsRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ListedApprovals>> {
    const isMine = mine === 'true';
    const filter = { state, ...(isMine && { proposer: byOf(actingAlone(operator)).actor }) };
    const page = await this.lists.approvals(filter, { limit, cursor, operator, deadline });
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    const question = { state, mine: isMine || undefined };
    await this.questions.answered(actingAlone(operator), { query: 'list-approvals', question, rows: page.approvals.length });
    return HttpReply.json(HttpStatus.OK, page);
  }

  /**
   * One proposal, with the changes of a proposed configuration
   * @answer 200 Read from the log
   */
  @Get(':approvalId')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('show-approval')
  async show(@Param('approvalId') approvalId: string, @CurrentOperator() operator: Operator): Promise<HttpReply<ShownApproval>> {
    const approval = await this.fourEyes.show(approvalId, operator);
    const question = { id: approvalId };
    await this.questions.answered(actingAlone(operator), { query: 'show-approval', question, rows: approval === undefined ? 0 : 1 });
    if (approval === undefined) return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'unknown-approval' });
    return HttpReply.json(HttpStatus.OK, approval);
  }

  /**
   * Approves a proposal of another person and executes its action
   * @example {"reason": "Checked with the shop"}
   * @answer 202 Approved. `status` is `done`, or `approved` if the execution is not recorded
   * @answer 403 The caller proposed it, or may not execute the action itself
   * @answer 409 It was decided before, has expired, its order or the configuration changed, or its action was refused: `error` gives the reason
   */
  @Post(':approvalId/approving')
  @OperatorRequest('approve-action')
  async approve(
    @Param('approvalId') approvalId: string,
    @Action(ApproveRequest) message: ApproveRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<ApprovalReply> {
    const { reason, alone: isAlone = false } = message;
    if (isAlone && reason === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'to act alone, give a reason' });
    return approvalReply(await this.fourEyes.approve(approvalId, { reason, isAlone }, actingFor(operator, message)));
  }

  /**
   * Rejects a proposal, or withdraws one’s own
   * @example {"reason": "The shop returned it already"}
   * @answer 200 Rejected
   * @answer 403 The caller may not execute the action itself
   * @answer 409 It was decided before or has expired
   */
  @Post(':approvalId/rejecting')
  @OperatorRequest('reject-action')
  async reject(
    @Param('approvalId') approvalId: string,
    @Action(RejectRequest) message: RejectRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly approval: ShownApproval }>> {
    const rejected = await this.fourEyes.reject(approvalId, message.reason, actingFor(operator, message));
    if (rejected.reason !== 'under-approval') return refusalReply(rejected);
    const { approval } = rejected;
    if (approval.status !== 'rejected') return HttpReply.json(HttpStatus.CONFLICT, { error: approval.status });
    return HttpReply.json(HttpStatus.OK, { approval });
  }

  /**
   * Executes an approved action whose execution is not recorded, because a process ended. A completed action is not repeated
   * @example {}
   * @answer 202 Executed. `status` is `done`
   * @answer 409 It is not approved, was executed before, or its action was refused
   */
  @Post(':approvalId/execution')
  @OperatorRequest('execute-action')
  async execute(
    @Param('approvalId') approvalId: string,
    @Action(ExecuteRequest) message: ExecuteRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<ApprovalReply> {
    return approvalReply(await this.fourEyes.execute(approvalId, actingFor(operator, message)));
  }
}
