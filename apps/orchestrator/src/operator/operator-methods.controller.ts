import { All, Controller, HttpStatus, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { HttpReply } from '@app/http/server';
import { AuditController } from './audit.controller';
import { ConsoleController } from './console.controller';
import { EvidenceController } from './evidence.controller';
import { OperatorController } from './operator.controller';
import { OperatorDisputesController } from './operator-disputes.controller';
import { OperatorErasureController } from './operator-erasure.controller';
import { OperatorApprovalsController } from './operator-approvals.controller';
import { OperatorFollowUpsController } from './operator-follow-ups.controller';
import { OperatorOverviewController } from './operator-overview.controller';
import { OperatorListsController } from './operator-lists.controller';
import { OperatorFeedController } from './operator-feed.controller';
import { OperatorKeysController } from './operator-keys.controller';
import { OperatorLogController } from './operator-log.controller';
import { OperatorReconciliationController } from './operator-reconciliation.controller';
import { OperatorResendingController } from './operator-resending.controller';
import { OperatorRoutingController } from './operator-routing.controller';
import { OperatorConfigurationController } from './operator-configuration.controller';
import { OperatorSessionsController } from './operator-sessions.controller';
import { OperatorSwitchesController } from './operator-switches.controller';
import { OperatorWhatIfsController } from './operator-what-ifs.controller';
import { OrderHistoryController } from './order-history.controller';
import { SessionController } from './session.controller';

export const OPERATOR_CONTROLLERS: readonly Type<object>[] = [
  SessionController,
  OperatorSessionsController,
  // Before the routes of one order.
  OperatorListsController,
  OperatorController,
  OrderHistoryController,
  OperatorRoutingController,
  OperatorSwitchesController,
  OperatorConfigurationController,
  OperatorDisputesController,
  OperatorReconciliationController,
  OperatorLogController,
  OperatorFeedController,
  OperatorWhatIfsController,
  AuditController,
  EvidenceController,
  OperatorErasureController,
  OperatorFollowUpsController,
  OperatorApprovalsController,
  OperatorResendingController,
  OperatorKeysController,
  OperatorOverviewController,
  ConsoleController,
];

const routesOf = (controller: Type<object>): readonly (readonly [path: string, method: string])[] =>
  Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(({ value }) => {
    const method = Reflect.getMetadata(METHOD_METADATA, value as object) as RequestMethod | undefined;
    if (method === undefined) return [];
    const parts = [controller, value as object].map((part) => String(Reflect.getMetadata(PATH_METADATA, part)));
    return [[parts.filter((part) => part !== '' && part !== '/').join('/'), RequestMethod[method]] as const];
  });

const ALLOWED = new Map<string, readonly string[]>();
for (const [path, method] of OPERATOR_CONTROLLERS.flatMap(routesOf)) ALLOWED.set(path, [...(ALLOWED.get(path) ?? []), method].sort());

/** The paths that take these methods and no other. */
const takenBy = (methods: string): string[] => [...ALLOWED].filter(([, allowed]) => allowed.join(', ') === methods).map(([path]) => path);

/** JSON like the rest of this port, not the merchants' format. */
const takes = (allowed: string): HttpReply =>
  HttpReply.json(HttpStatus.METHOD_NOT_ALLOWED, { error: 'method not allowed' }, { Allow: allowed });

/** Routed last: answers 405 for a known path with another method, because a 404 would mean an unknown order. */
@Controller()
export class OperatorMethodsController {
  @All(takenBy('GET'))
  otherThanGet(): HttpReply {
    return takes('GET');
  }

  @All(takenBy('POST'))
  otherThanPost(): HttpReply {
    return takes('POST');
  }

  @All(takenBy('GET, POST'))
  otherThanEither(): HttpReply {
    return takes('GET, POST');
  }

  @All(takenBy('DELETE, GET, POST'))
  otherThanThree(): HttpReply {
    return takes('DELETE, GET, POST');
  }

  @All('{*path}')
  nowhere(): HttpReply {
    return HttpReply.json(HttpStatus.NOT_FOUND, { error: 'no such path' });
  }
}
