import { renameLog } from '@app/audit';
import { packageRoot, readEnvironment } from '@app/configuration';
import { systemRandom } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import { lockEventLog } from '../service/event-log';
import { asJson, type Output } from '../terminal/output';
import { openLogPlaces } from './log-places';
import { requiredVerifyKey } from './verify-key';

const NAME_BYTES = 16;

/**
 * `orch log rename`: after a back-up was restored, a new name for the log, which goes on from the newest checkpoint that it fits. The service must be
 * stopped. @throws CommandFailed
 */
export const rename = async ({ key }: { readonly key?: string }, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const verifier = requiredVerifyKey(key, environment);
  // The lock of the log's file keeps a service from signing meanwhile.
  const log = await lockEventLog(environment.eventStore);
  try {
    const { files } = await openLogPlaces(environment);
    const renamed = await renameLog({ log, files }, verifier, systemRandom.bytes(NAME_BYTES));
    if (renamed.kind === 'nothing-signed') throw new CommandFailed('nothing was signed of this log', EXIT.notFound);
    if (renamed.kind === 'fits') throw new CommandFailed('the log fits all its checkpoints: it keeps its name', EXIT.refused);
    const { ancestor, origin } = renamed;
    if (output.isJson) output.line(asJson({ origin, from: ancestor.origin, size: ancestor.size }));
    else output.line(`${origin} goes on from ${ancestor.origin}, with the ${ancestor.size} events of its newest checkpoint that fits`);
  } finally {
    await log.close();
  }
};
