import type { Dispatcher } from 'undici';
import { Exchange } from './exchange';
import type { EgressOutcome } from './outcome';

const controller = {} as Dispatcher.DispatchController;

const outcomeOf = (feed: (exchange: Exchange) => void): EgressOutcome | undefined => {
  let outcome: EgressOutcome | undefined;
  const exchange = new Exchange((resolved) => (outcome = resolved));
  exchange.onResponseStart(controller, 200, {});
  feed(exchange);
  exchange.onResponseEnd();
  return outcome;
};

describe('the body of an answer', () => {
  it('is copied, so that one byte does not keep the whole buffer of the socket', () => {
    const read = Buffer.from(`${' '.repeat(65_535)}x`);
    const outcome = outcomeOf((exchange) => {
      exchange.onResponseData(controller, read.subarray(65_535));
      read.fill('?');
    });
    expect(outcome).toStrictEqual({ kind: 'answered', status: 200, body: 'x' });
  });

  it('is complete, in however many pieces it comes', () => {
    const body = 'ä€💳'.repeat(5_000);
    const bytes = Buffer.from(body);
    for (const size of [1, 7, 1_024, bytes.length]) {
      const outcome = outcomeOf((exchange) => {
        for (let at = 0; at < bytes.length; at += size) exchange.onResponseData(controller, bytes.subarray(at, at + size));
      });
      expect(outcome).toStrictEqual({ kind: 'answered', status: 200, body });
    }
  });

  it('is empty where no byte came', () => {
    expect(outcomeOf(() => undefined)).toStrictEqual({ kind: 'answered', status: 200, body: '' });
  });
});
