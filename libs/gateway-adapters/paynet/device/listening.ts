import type { AttemptKey } from '@app/kernel';
import type { CanListen, Heard } from '../../contract';
import type { DeviceAccount } from './device-account';
import { MerchantHalf } from './merchant-half';

const NOT_FOUND: Heard = { reply: { status: 404 }, reports: [] };

/**
 * Answers the upstream gateway's checks and card mapping notifications; of an order whose cards it names, the end is near.
 * @param others hears whatever is neither
 */
export const deviceListener = (account: DeviceAccount, others: CanListen | undefined): CanListen => {
  const half = new MerchantHalf(account);
  return {
    listen: (request) => {
      const answered = half.answer(request);
      if (answered === undefined) return others?.listen(request) ?? Promise.resolve(NOT_FOUND);
      const { reply, notified } = answered;
      return Promise.resolve({ reply, reports: notified === undefined ? [] : [{ kind: 'hint', key: notified as AttemptKey }] });
    },
  };
};
