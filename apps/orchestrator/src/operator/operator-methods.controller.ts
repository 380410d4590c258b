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

/** JSON like the rest of this port, not the merchants' format. */
const takes = (allowed: string): HttpReply =>
  HttpReply.json(HttpStatus.METHOD_NOT_ALLOWED, { error: 'method not allowed' }, { Allow: allowed });

/** Routed last: answers 405 for a known path with another method, because a 404 would mean an unknown order. */
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
