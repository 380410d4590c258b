import type { MessagePort } from 'node:worker_threads';
import { fromFlatEvents } from '@app/event-store';
import { sqliteReadModelDatabase } from '../engine/database/sqlite-database';
import { LocalReadModel, type ReadModelSettings } from '../local-read-model';
import type { ReadModel } from '../read-model';
import { errorOf, thrownOf, type FromProjecting, type ProjectingCalls, type ToProjecting } from './projecting.messages';

type News = Required<Pick<ReadModelSettings, 'onAheadOfLog' | 'onParked' | 'onCorruptRow' | 'onWaiting'>>;

export interface ServedReadModel {
  readonly model: ReadModel;
  readonly close: () => Promise<void>;
}

const callsOn = ({ model, close }: ServedReadModel): ProjectingCalls => ({
  position: () => model.position(),
  parked: () => model.parked(),
  apply: (batch, upTo) => model.apply(fromFlatEvents(batch), upTo),
  park: async (event, thrown) => {
    for (const one of fromFlatEvents(event)) await model.park(one, errorOf(thrown));
  },
  release: () => model.release(),
  build: () => model.build(),
  abandonAheadOfLog: () => model.abandonAheadOfLog(),
  rebuildStream: (stream) => model.rebuildStream(stream),
  rewrite: (row) => model.rewrite(row),
  rest: (work, lanes) => model.openWork(work).rest(lanes),
  postpone: (work, asRead, dueAt) => model.openWork(work).postpone(asRead, dueAt),
  close: async () => {
    await model.close();
    await close();
  },
});

/**
 * Opens the file, created if it is missing.
 * @throws Error with the reason in one line
 */
export const openFileReadModel = (path: string, settings: ReadModelSettings): ReadModel =>
  LocalReadModel.over(sqliteReadModelDatabase(path), settings);

export const serveProjecting = (port: MessagePort, open: (news: News) => ServedReadModel): void => {
  const send = (message: FromProjecting): void => port.postMessage(message);
  const serve = (served: ServedReadModel): void => {
    const calls = callsOn(served);
    const state = () => ({ hasFirstPartition: served.model.hasFirstPartition, isFencedOut: served.model.isFencedOut });
    const answer = async ({ call, name, with: given }: ToProjecting): Promise<void> => {
      try {
        const value = await (calls[name] as (...given: readonly unknown[]) => Promise<unknown>)(...given);
        send({ kind: 'answer', call, value, state: state() });
      } catch (error) {
        send({ kind: 'failure', call, thrown: thrownOf(error), state: state() });
      }
      if (name === 'close') port.close();
    };
    port.on('message', (message: ToProjecting) => void answer(message));
    send({ kind: 'ready' });
  };
  const news: News = {
    onAheadOfLog: (projections) => send({ kind: 'ahead-of-log', projections }),
    onParked: (parked) => send({ kind: 'parked', parked }),
    onCorruptRow: (row) => send({ kind: 'corrupt-row', row }),
    onWaiting: (error) => send({ kind: 'waiting', thrown: error && thrownOf(error) }),
  };
  let served: ServedReadModel;
  try {
    served = open(news);
  } catch (error) {
    send({ kind: 'refused', message: thrownOf(error).message });
    port.close();
    return;
  }
  serve(served);
};
