import { HttpCode, HttpStatus, Inject, Param, Post } from '@nestjs/common';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import type { Deadline, Instant } from '@app/kernel';
import { EvidenceService } from '@app/investigation';
import { Action } from './action.pipe';
import { CallerDeadline } from './read-action';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { orderUnnamed } from './unnamed-order';
import { AsInstant } from './transforms';
import { NamedOrderAction, optional } from './operator.requests';

/** An evidence pack, with personal data of the consumer, for grounds that are put on record. */
export class EvidenceRequest extends NamedOrderAction {
  /** Later records are left out. Default: the time of the newest dispute, else of the newest event of the order, its cards or its callbacks. */
  @optional(AsInstant('at'))
  readonly at?: number;
}

const ZIP = 'application/zip';

@OperatorRoutes('audit')
export class EvidenceController {
  constructor(@Inject(EvidenceService) private readonly evidence: EvidenceService) {}

  /**
   * An evidence pack for a dispute about an order: a zip file that can be verified offline. Reason and extent are recorded before the answer
   * @param id An orderid or a client_orderid.
   * @example {"reason": "Chargeback 4711 of the scheme", "at": "2026-11-24T08:30:00Z"}
   * @answer 200 The pack
   * @answer 409 No signed checkpoint covers its events yet, or several merchants have an order of this name
   */
  @Post('orders/:orderId/evidence')
  @HttpCode(HttpStatus.OK)
  @OperatorRequest('order-evidence')
  async make(
    @Param('orderId') id: string,
    @Action(EvidenceRequest) { merchant, by, at, reason, actor }: EvidenceRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<Uint8Array>> {
    const asked = { merchant, by, at: at as Instant | undefined, reason, deadline };
    const answer = await this.evidence.make(id, asked, { operator, claimedActor: actor });
    switch (answer.kind) {
      case 'pack':
        return new HttpReply({ status: HttpStatus.OK, contentType: ZIP, body: Buffer.from(answer.zip) });
      case 'refused':
        return HttpReply.json(answer.isLater ? HttpStatus.CONFLICT : HttpStatus.BAD_REQUEST, { error: answer.reason });
      case 'unknown-order':
      case 'ambiguous':
        return orderUnnamed(answer);
    }
  }
}
