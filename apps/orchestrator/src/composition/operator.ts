import type { Clock, Ids } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { ResendCallback } from '@app/deliveries';
import type { Actor, EventStore } from '@app/event-store';
import { readOrMakeOperatorToken, sha256OfToken, type Accounts, type Operator, type OrchestratorEnvironment } from '@app/configuration';
import type { OperatorAudit } from '@app/operator-audit';
import type { ResolveUnknownFollowUp, ResolveUnknownOutcome } from '@app/order-processing';
import type { ReadModel } from '@app/projections';
import { OperatorService, type ResolvesOutcomes } from '../operator/operator.service';
import type { CurrentOrderReader } from '@app/order-queries';

export interface OperatorWorld {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly orders: CurrentOrderReader;
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: OperatorAudit;
  readonly resolveUnknownOutcome: ResolveUnknownOutcome;
  readonly resolveUnknownFollowUp: ResolveUnknownFollowUp;
}

const settling = (order: ResolveUnknownOutcome, followUps: ResolveUnknownFollowUp): ResolvesOutcomes => ({
  settle: async (stream, as, reason, by: Actor, followUp) => {
    const settled =
      followUp === undefined ? await order.resolve(stream, as, reason, by) : await followUps.resolve(stream, followUp, as, reason, by);
    if (settled.kind === 'resolved') return { reason: 'settled' };
    return { reason: settled.reason === 'flight-not-over' ? 'flight-not-over' : 'nothing-to-settle' };
  },
});

/**
 * Those of the configuration; outside production, where it names none, whoever can read the sandbox's own token, which is made here.
 * @throws ConfigurationFault where that token cannot be made or read
 */
export const operatorsOf = (
  configured: readonly Operator[],
  { isProduction, operatorTokenPath }: Pick<OrchestratorEnvironment, 'isProduction' | 'operatorTokenPath'>,
): readonly Operator[] => {
  if (isProduction || configured.length > 0) return configured;
  return [{ name: 'sandbox', role: 'admin', tokenSha256: sha256OfToken(readOrMakeOperatorToken(operatorTokenPath)) }];
};

/** What the operator's port is given; a process of either role has it. */
export const operatorService = ({
  store,
  readModel,
  orders,
  sealer,
  accounts,
  clock,
  ids,
  audit,
  resolveUnknownOutcome,
  resolveUnknownFollowUp,
}: OperatorWorld): OperatorService =>
  new OperatorService({
    log: store,
    readModel,
    merchants: accounts.merchants.map(({ login }) => login),
    orders,
    resending: new ResendCallback({ store, sealer, clock, ids }),
    settling: settling(resolveUnknownOutcome, resolveUnknownFollowUp),
    audit,
  });
