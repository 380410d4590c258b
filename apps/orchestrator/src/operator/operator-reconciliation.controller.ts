import { Get, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import type { InquiryPage, OpenedCase } from '@app/reconciliation';
import { actingAlone, actingFor, QueryAudit } from '@app/investigation';
import { Action } from './action.pipe';
import { Question } from './question.pipe';
import { CallerDeadline } from './read-action';
import { approvalReply, isUnderApproval, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { GateInquiries, type Inquired } from './gate-inquiries';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { A_CURSOR } from './operator.requests';
import { ApplyCaseRequest, CloseCaseRequest, InquireRequest, ListCasesRequest, OpenCasesRequest } from './reconciliation.requests';
import { ReconciliationService, type CaseApplying, type CaseClosing, type CaseEffect, type ListedCases } from './reconciliation.service';

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

@OperatorRoutes('reconciliation')
export class OperatorReconciliationController {
  constructor(
    @Inject(ReconciliationService) private readonly reconciliation: ReconciliationService,
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
    @Inject(GateInquiries) private readonly inquiries: GateInquiries,
    @Inject(QueryAudit) private readonly questions: QueryAudit,
  ) {}

  /**
   * Differences between the log and the settlements of gates, the oldest first
   * @answer 200 A page. At most 1,000
   */
  @Get('cases')
  @OperatorRequest('list-cases')
  async list(
    @Question(ListCasesRequest) { limit, cursor, all, since, until, ...filter }: ListCasesRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<ListedCases>> {
    const question = {
      ...filter,
      since: since as Instant | undefined,
      until: until as Instant | undefined,
      all: all === 'true' || undefined,
    };
    const page = await this.reconciliation.list(question, { limit, cursor }, operator, deadline);
    if (page === undefined) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: A_CURSOR });
    await this.questions.answered(actingAlone(operator), { query: 'list-cases', question, rows: page.cases.length });
    return HttpReply.json(HttpStatus.OK, page);
  }

  /**
   * Both sides of a case field by field, and what applying it now would record. Changes nothing
   */
  @Get('cases/:caseId/effect')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('case-effect')
  async effect(@Param('caseId') caseId: string, @CurrentOperator() operator: Operator): Promise<HttpReply<CaseEffect>> {
    const found = await this.reconciliation.effect(caseId, operator);
    const rows = found === undefined ? 0 : 1;
    // An unknown case may be named by a card number.
    const about = found === undefined ? { question: { caseId } } : { orderId: caseId, question: {} };
    await this.questions.answered(actingAlone(operator), { query: 'case-effect', ...about, rows });
    return found === undefined ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'unknown-case' }) : HttpReply.json(HttpStatus.OK, found);
  }

  /**
   * Opens a case for each difference that a comparison found. A repeated difference returns its existing case
   * @example {"gate": "sim-primary", "source": "file", "cases": [{"kind": "missing-here", "original": "6f1f7a2e-8f0a-4c55-9a43-6a5a5b0f8f6e", "operation": "sale", "differences": []}]}
   * @answer 200 In the order of the request
   */
  @Post('cases')
  @OperatorRequest('open-cases')
  async open(
    @Action(OpenCasesRequest) message: OpenCasesRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly cases: readonly OpenedCase[] }>> {
    const answer = await this.reconciliation.open(message, actingFor(operator, message));
    return answer.reason === 'opened'
      ? HttpReply.json(HttpStatus.OK, { cases: answer.cases })
      : HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no gate is configured under this alias' });
  }

  /**
   * Closes a case without a change
   * @example {"reason": "The acquirer corrected its file"}
   * @answer 200 It is closed
   * @answer 409 The case was closed before
   */
  @Post('cases/:caseId/closing')
  @OperatorRequest('close-case')
  async close(
    @Param('caseId') caseId: string,
    @Action(CloseCaseRequest) message: CloseCaseRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly caseId: string }>> {
    const { reason } = await this.reconciliation.close(caseId, message.reason, actingFor(operator, message));
    return HttpReply.json(CLOSING_STATUS[reason], reason === 'closed' ? { caseId } : { error: reason });
  }

  /**
   * Changes the final status of the order to the gate’s settlement, and closes the case
   * @example {"reason": "The acquirer took the money, by its statement"}
   * @answer 200 It is applied
   * @answer 202 It waits for the approval of a second person
   * @answer 409 The case was closed before, has no status, or contradicts the order’s other transactions
   */
  @Post('cases/:caseId/application')
  @OperatorRequest('apply-case')
  async apply(
    @Param('caseId') caseId: string,
    @Action(ApplyCaseRequest) message: ApplyCaseRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<{ readonly caseId: string } & Omit<Extract<CaseApplying, { reason: 'applied' }>, 'reason'>> | ApprovalReply> {
    const { reason, alone: isAlone = false } = message;
    const wish = { action: 'apply-case', target: caseId } as const;
    const answer = await this.fourEyes.perform(wish, { reason, isAlone }, actingFor(operator, message));
    if (isUnderApproval(answer)) return approvalReply(answer);
    const status = APPLYING_STATUS[answer.reason];
    if (answer.reason === 'applied') return HttpReply.json(status, { caseId, to: answer.to, effect: answer.effect });
    return HttpReply.json(status, { error: answer.reason === 'refused' ? answer.why : answer.reason });
  }

  /**
   * Inquires the outcomes of a period’s requests at a gate, one page at a time. Changes nothing
   * @example {"gate": "sim-primary", "from": 1767225600000, "before": 1767312000000}
   * @answer 409 This gate does not support inquiries
   */
  @Post('inquiries')
  @OperatorRequest('inquire-gate')
  async inquire(
    @Action(InquireRequest) message: InquireRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<InquiryPage>> {
    const answer = await this.inquiries.ask(message, actingFor(operator, message), deadline);
    const status = INQUIRED_STATUS[answer.reason];
    if (answer.reason !== 'asked') return HttpReply.json(status, { error: answer.reason });
    const { reason: _asked, ...page } = answer;
    return HttpReply.json(status, page);
  }
}
