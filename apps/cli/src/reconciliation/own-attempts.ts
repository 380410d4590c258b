import type { GateAttemptsPlace, GateAttemptsRecord, ReadModelReader } from '@app/read-models';
import type { OwnAttempts, OwnOrder, Period } from '@app/reconciliation';

const PAGE_ROWS = 1_000;
/** An attempt's key names one order; a gate's own name of an order may come again over the years. */
const NAMED_MAX = 10;

const ownOrder = ({ stream, view: { orderId, merchant, asked } }: GateAttemptsRecord): OwnOrder => ({
  order: { stream, orderId, merchant },
  asked,
});

async function* pages({ gateAttempts }: ReadModelReader, { from, before }: Period): AsyncGenerator<readonly OwnOrder[]> {
  for (let after: GateAttemptsPlace | undefined; ;) {
    const page = await gateAttempts.touchedIn(from, before, PAGE_ROWS, after);
    yield page.records.map(ownOrder);
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** Our side of a reconciliation, from the read models of a service that may run beside it. */
export const ownAttempts = (readModel: ReadModelReader): OwnAttempts => ({
  inPeriod: (period) => pages(readModel, period),
  named: async (names) => {
    const streams = await Promise.all(names.map((name) => readModel.search.streamsNamed(name, { limit: NAMED_MAX })));
    return (await readModel.gateAttempts.ofStreams([...new Set(streams.flat())])).map(ownOrder);
  },
});
