import { All, Controller, HttpStatus } from '@nestjs/common';
import { HttpReply } from '@app/http/server';

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

/** As everything of this port is answered, and not as the merchants' interfaces have it. */
const takes = (allowed: string): HttpReply =>
  HttpReply.json(HttpStatus.METHOD_NOT_ALLOWED, { error: 'method not allowed' }, { Allow: allowed });

/**
 * A path of the operators' requests with another method than its own: a 404 would read as an order that does not exist; and a path that there is not.
 * Routed after all others.
 */
@Controller()
export class OperatorMethodsController {
  @All(ASKED_BY_GET)
  otherThanGet(): HttpReply {
    return takes('GET');
  }

  @All(DONE_BY_POST)
  otherThanPost(): HttpReply {
    return takes('POST');
  }

  @All(BOTH)
  otherThanEither(): HttpReply {
    return takes('GET, POST');
  }

  @All('{*path}')
  nowhere(): HttpReply {
    return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no such path' });
  }
}
