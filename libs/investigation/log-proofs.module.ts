import { Module } from '@nestjs/common';
import { ConfigurationFault, type OrchestratorEnvironment } from '@app/configuration';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide, RANDOM, SCHEDULER } from '@app/kernel/injection';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { witnessAt } from './log-proofs/checkpoint-stores';
import { FolderFiles } from './log-proofs/proof-files';
import { KeyRefused, readOrMakeSigningKeyFile, readSigningKeyFile, type SigningKey } from './log-proofs/checkpoint';
import { LogProofs } from './log-proofs/log-proofs';
import { LOG_PROOFS, LOG_PROOFS_LISTENER, LOG_SIGNING_KEY } from './log-proofs.tokens';

/** @throws ConfigurationFault: a service must not start unsigned by mistake */
const signingKeyOf = ({ logSigningKeyPath: path, mayMakeLogSigningKey }: OrchestratorEnvironment): SigningKey | undefined => {
  if (path === undefined) return undefined;
  try {
    return mayMakeLogSigningKey ? readOrMakeSigningKeyFile(path) : readSigningKeyFile(path);
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error;
    throw new ConfigurationFault('environment', [{ path: 'LOG_SIGNING_KEY', problem: error.message }]);
  }
};

/** The tree of the event log, kept by the process that runs projections. */
@Module({
  providers: [
    provide(LOG_SIGNING_KEY, { environment: ENVIRONMENT }, ({ environment }) => signingKeyOf(environment)),
    provide(
      LOG_PROOFS,
      {
        log: EVENT_STORE,
        readModel: READ_MODEL,
        environment: ENVIRONMENT,
        key: LOG_SIGNING_KEY,
        clock: CLOCK,
        scheduler: SCHEDULER,
        random: RANDOM,
        listener: LOG_PROOFS_LISTENER,
      },
      ({ environment, readModel, ...ports }) =>
        new LogProofs({
          ...ports,
          files: new FolderFiles(environment.logProofsDir),
          directories: environment.logWitnesses.map(witnessAt),
          isKeeper: () => readModel.hasFirstPartition,
        }),
    ),
  ],
  exports: [LOG_PROOFS, LOG_SIGNING_KEY],
})
export class LogProofsModule {}
