import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigurationFault, type OrchestratorEnvironment } from '@app/configuration';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { openEgress, type Egress } from '@app/egress';
import { EgressModule } from '@app/egress/egress.module';
import { EGRESS_POLICY } from '@app/egress/egress.tokens';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide, RANDOM, SCHEDULER, token } from '@app/injection';
import { READ_MODEL } from '@app/projections/projections.tokens';
import {
  KeyRefused,
  LogProofs,
  proofFilesOf,
  readOrMakeSigningKeyFile,
  readSigningKeyFile,
  readWitnessKey,
  witnessesOf,
  type SigningKey,
  type WitnessKey,
} from './log-proofs';
import { LOG_PROOFS, LOG_PROOFS_WATCH, LOG_SIGNING_KEY } from './log-proofs.tokens';

const WITNESS_EGRESS = token<Egress>('WITNESS_EGRESS');

/** @throws ConfigurationFault for a key that cannot be used */
const orFault = <Read>(path: string, read: () => Read): Read => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error;
    throw new ConfigurationFault('environment', [{ path, problem: error.message }]);
  }
};

/** @throws ConfigurationFault: a service must not start unsigned by a slip */
const signingKeyOf = ({ logSigningKeyPath: path, mayMakeLogSigningKey }: OrchestratorEnvironment): SigningKey | undefined =>
  path === undefined
    ? undefined
    : orFault('LOG_SIGNING_KEY', () => (mayMakeLogSigningKey ? readOrMakeSigningKeyFile(path) : readSigningKeyFile(path)));

/** @throws ConfigurationFault: signatures must not stay unverified by a slip */
const witnessKeysOf = ({ logWitnessKeys }: OrchestratorEnvironment): readonly WitnessKey[] =>
  orFault('LOG_WITNESS_KEYS', () => logWitnessKeys.map(readWitnessKey));

/** The tree behind the event log, kept by the process that projects; its worker starts and stops it. */
@Module({
  imports: [EgressModule],
  providers: [
    provide(WITNESS_EGRESS, { policy: EGRESS_POLICY, scheduler: SCHEDULER }, (ports) => openEgress(ports)),
    provide(LOG_SIGNING_KEY, { environment: ENVIRONMENT }, ({ environment }) => signingKeyOf(environment)),
    provide(
      LOG_PROOFS,
      {
        log: EVENT_STORE,
        readModel: READ_MODEL,
        environment: ENVIRONMENT,
        key: LOG_SIGNING_KEY,
        egress: WITNESS_EGRESS,
        clock: CLOCK,
        scheduler: SCHEDULER,
        random: RANDOM,
        watch: LOG_PROOFS_WATCH,
      },
      ({ environment, readModel, egress, ...ports }) => {
        const files = proofFilesOf(environment.logProofsDir);
        const keys = witnessKeysOf(environment);
        const { directories, receivers } = witnessesOf(environment.logWitnesses, { ...ports, files, egress, keys });
        return new LogProofs({
          ...ports,
          files,
          directories,
          receivers,
          isKeeper: () => readModel.hasFirstPartition,
        });
      },
    ),
  ],
  exports: [LOG_PROOFS, LOG_SIGNING_KEY],
})
export class LogProofsModule implements OnApplicationShutdown {
  constructor(@Inject(WITNESS_EGRESS) private readonly egress: Egress) {}

  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }
}
