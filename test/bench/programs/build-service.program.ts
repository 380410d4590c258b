import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ReadModelAddress } from '@app/read-models';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { Secret, systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { openReadModel } = built<typeof import('@app/read-models')>('libs/read-models/index.js');
const { decodeAny } = built<typeof import('@app/read-models/queries')>('libs/read-models/queries/event-codecs.js');
const { openWorkDefinitions } = built<typeof import('@app/read-models/queries')>('libs/read-models/queries/open-work.js');
const { FolderFiles, LogProofs } = built<typeof import('@app/investigation')>('libs/investigation/index.js');
const { readOrMakeSigningKeyFile } = built<{
  readonly readOrMakeSigningKeyFile: (path: string) => ConstructorParameters<typeof LogProofs>[0]['key'];
}>('libs/investigation/log-proofs/checkpoint.js');

export interface BuildService {
  readonly dataDir: string;
  /** Of PostgreSQL. Default: the file in the folder. */
  readonly readModelUrl?: string;
}

const fail = (cause?: unknown): never => {
  throw new Error('the log was not signed', { cause });
};

/** What a service has built that has run on this log: read models, and a signed tree. Nothing of it is sent anywhere. */
answerQuestions(async ({ dataDir, readModelUrl }: BuildService): Promise<void> => {
  const log = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock, scheduler });
  const place: ReadModelAddress =
    readModelUrl === undefined ? { path: join(dataDir, 'read-model.sqlite') } : { url: new Secret(readModelUrl), scheduler };
  const model = await openReadModel({ ...place, log, decode: decodeAny, clock, openWork: openWorkDefinitions });
  await model.build();
  await model.close();
  const listener = { unsigned: fail, inconsistent: fail, rebuilding: fail, retrying: fail, witnessFailed: fail };
  const files = new FolderFiles(join(dataDir, 'log-proofs'));
  const key = readOrMakeSigningKeyFile(join(dataDir, 'log-signing-key.pem'));
  const random = { bytes: randomBytes };
  const proofs = new LogProofs({ log, files, directories: [], isKeeper: () => true, key, clock, scheduler, random, listener });
  await proofs.stop();
  await log.close();
});
