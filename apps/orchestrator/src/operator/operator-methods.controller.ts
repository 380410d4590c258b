import { All, Controller } from '@nestjs/common';
import { HttpReply } from '@app/http-server';

const ASKED_BY_GET = [
  'orders/unknown',
  'orders/find',
  'orders/:orderId',
  'orders/:orderId/deliveries',
  'gates',
  'keys',
  'audit/orders/unknown',
  'audit/orders/:orderId',
  'audit/orders/:orderId/state',
  'audit/orders/:orderId/diff',
  'audit/orders/:orderId/why',
  'audit/configuration',
];
const DONE_BY_POST = [
  'orders/:orderId/resolution',
  'orders/:orderId/settlement',
  'orders/:orderId/reports',
  'audit/orders/:orderId/reveal',
  'audit/orders/:orderId/evidence',
  'deliveries/:deliveryId/resend',
  'streams/:stream/unparking',
  'routes/explanation',
  'reconciliation/cases/:caseId/closing',
  'reconciliation/cases/:caseId/application',
  'reconciliation/inquiries',
  'orders/:orderId/erasure',
  'orders/:orderId/hold',
  'orders/:orderId/hold/release',
  'card-references/:cardRefId/erasure',
  'customers/orders',
];
const BOTH = ['reconciliation/cases', 'audit/orders'];

/** A path of the operators' requests with another method than its own. Routed after it: a 404 would read as an order that does not exist. */
@Controller()
export class OperatorMethodsController {
  @All(ASKED_BY_GET)
  otherThanGet(): HttpReply {
    return HttpReply.methodNotAllowed('GET');
  }

  @All(DONE_BY_POST)
  otherThanPost(): HttpReply {
    return HttpReply.methodNotAllowed('POST');
  }

  @All(BOTH)
  otherThanEither(): HttpReply {
    return HttpReply.methodNotAllowed('GET, POST');
  }
}
