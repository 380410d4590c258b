import { Controller, Get, HttpStatus, Inject, Param, Post, UseFilters, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline } from '@app/kernel';
import { actingAlone, type ActingOperator, QuestionsOnRecord } from '@app/investigation';
import { Action } from './action.pipe';
import { Question } from './question.pipe';
import { CallerDeadline } from './caller-deadline';
import { GateInquiries, type Inquired } from './gate-inquiries';
import { OperatorFilter } from './operator.filter';
import { CurrentOperator, OperatorGuard, OperatorRequest } from './operator.guard';
import { ApplyCaseRequest, CloseCaseRequest, InquireRequest, ListCasesRequest, OpenCasesRequest } from './reconciliation.requests';
import { ReconciliationService, type CaseApplying, type CaseClosing } from './reconciliation.service';

const CLOSING_STATUS: Readonly<Record<CaseClosing['reason'], number>> = {
  closed: HttpStatus.OK,
  'unknown-case': HttpStatus.NOT_FOUND,
  'opened-before': HttpStatus.CONFLICT,
  'closed-before': HttpStatus.CONFLICT,
};
const APPLYING_STATUS: Readonly<Record<CaseApplying['reason'], number>> = {
  applied: HttpStatus.OK,
  'unknown-case': HttpStatus.NOT_FOUND,
  'unknown-order': HttpStatus.NOT_FOUND,
  'opened-before': HttpStatus.CONFLICT,
  'closed-before': HttpStatus.CONFLICT,
  'nothing-to-apply': HttpStatus.CONFLICT,
  refused: HttpStatus.CONFLICT,
};
const INQUIRED_STATUS: Readonly<Record<Inquired['reason'], number>> = {
  asked: HttpStatus.OK,
  'unknown-gate': HttpStatus.NOT_FOUND,
  'takes-no-inquiries': HttpStatus.CONFLICT,
  'malformed-after': HttpStatus.BAD_REQUEST,
};

const actingFor = (operator: Operator, { actor }: { readonly actor?: string }): ActingOperator => ({ operator, claimedActor: actor });

/** Reconciliation with what gates settled, on the operator port alone. */
@Controller('reconciliation')
@UseGuards(OperatorGuard)
@UseFilters(OperatorFilter)
export class OperatorReconciliationController {
  constructor(
    @Inject(ReconciliationService) private readonly reconciliation: ReconciliationService,
    @Inject(GateInquiries) private readonly inquiries: GateInquiries,
    @Inject(QuestionsOnRecord) private readonly questions: QuestionsOnRecord,
  ) {}

  @Get('cases')
  @OperatorRequest('list-cases')
  async list(
    @Question(ListCasesRequest) { gate, all }: ListCasesRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    const isAll = all === 'true';
    const cases = await this.reconciliation.list(gate, !isAll, deadline);
    const question = { gate, all: isAll || undefined };
    await this.questions.answered(actingAlone(operator), { query: 'list-cases', question, rows: cases.length });
    return HttpReply.json(HttpStatus.OK, { cases });
  }

  @Post('cases')
  @OperatorRequest('open-cases')
  async open(@Action(OpenCasesRequest) message: OpenCasesRequest, @CurrentOperator() operator: Operator): Promise<HttpReply> {
    const answer = await this.reconciliation.open(message, actingFor(operator, message));
    return answer.reason === 'opened'
      ? HttpReply.json(HttpStatus.OK, { cases: answer.cases })
      : HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no gate is configured under this alias' });
  }

  @Post('cases/:caseId/closing')
  @OperatorRequest('close-case')
  async close(
    @Param('caseId') caseId: string,
    @Action(CloseCaseRequest) message: CloseCaseRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply> {
    const { reason } = await this.reconciliation.close(caseId, message.reason, actingFor(operator, message));
    return HttpReply.json(CLOSING_STATUS[reason], reason === 'closed' ? { caseId } : { error: reason });
  }

  @Post('cases/:caseId/application')
  @OperatorRequest('apply-case')
  async apply(
    @Param('caseId') caseId: string,
    @Action(ApplyCaseRequest) message: ApplyCaseRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply> {
    const answer = await this.reconciliation.apply(caseId, message.reason, actingFor(operator, message));
    const status = APPLYING_STATUS[answer.reason];
    if (answer.reason === 'applied') return HttpReply.json(status, { caseId, to: answer.to, effect: answer.effect });
    return HttpReply.json(status, { error: answer.reason === 'refused' ? answer.why : answer.reason });
  }

  @Post('inquiries')
  @OperatorRequest('inquire-gate')
  async inquire(
    @Action(InquireRequest) message: InquireRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply> {
    const answer = await this.inquiries.ask(message, actingFor(operator, message), deadline);
    const { reason, ...rest } = answer;
    return HttpReply.json(INQUIRED_STATUS[reason], reason === 'asked' ? rest : { error: reason });
  }
}
