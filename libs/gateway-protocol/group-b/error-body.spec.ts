import { isLuhnValid, systemRandom } from '@app/kernel';
import { deviceErrorBody, makeErrorCode, HTTP_STATUS_OF_CAUSE, MERCHANT_CAUSES, PERFORM_CAUSES, STATUS_CAUSES } from './error-body';
import { MerchantErrorResponse, PerformErrorResponse, StatusErrorResponse } from './messages';
import { readDeviceMessage } from './read-device-message';

describe('an error body (interface, sections 2.6 and 7.2)', () => {
  it('has cause, code and message, and the invoice id if there is one [W103, W161]', () => {
    const failure = { cause: 'FILTERED', code: '1', message: 'Filtered' } as const;
    expect(deviceErrorBody(failure)).toStrictEqual({ error: failure });
    expect(deviceErrorBody(failure, 'inv-1')).toStrictEqual({ error: failure, invoiceId: 'inv-1' });
  });

  it.each([
    [MerchantErrorResponse, MERCHANT_CAUSES],
    [PerformErrorResponse, PERFORM_CAUSES],
    [StatusErrorResponse, STATUS_CAUSES],
  ] as const)("is accepted by the receiving side's reader: %p", (Message, causes) => {
    for (const cause of causes) {
      const body = deviceErrorBody({ cause, code: makeErrorCode((size) => systemRandom.bytes(size)), message: 'No' }, 'inv-1');
      expect(readDeviceMessage<object>(Message, body)).toEqual({ ok: body });
    }
  });

  it('maps every cause to an HTTP status for merchants that ask for one (protocol decisions, section 8) [W421]', () => {
    expect(HTTP_STATUS_OF_CAUSE).toStrictEqual({
      INVALID_REQUEST: 400,
      ORDER_NOT_FOUND: 404,
      FILTERED: 422,
      PROCESSING_FAILED: 422,
      INTERNAL_ERROR: 500,
      INVALID_CONFIGURATION: 500,
      SERVER_FAILED: 500,
      SERVER_UNAVAILABLE: 503,
    });
  });
});

describe('an error code (protocol decisions, section 8)', () => {
  it('is 16 digits within the safe integer range, not Luhn-valid, and unique [W423]', () => {
    const codes = Array.from({ length: 10_000 }, () => makeErrorCode((size) => systemRandom.bytes(size)));
    expect(codes.filter((code) => !/^[1-9]\d{15}$/.test(code) || String(Number(code)) !== code)).toStrictEqual([]);
    expect(codes.filter(isLuhnValid)).toStrictEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is drawn again if it passes the Luhn check (safety, T15), and fails if no draw is usable', () => {
    const draws = [0, 8, 9].map((last) => (size: number) => Uint8Array.from({ length: size }, (_, at) => (at === size - 1 ? last : 0)));
    expect(draws.map((bytes) => isLuhnValid((10n ** 15n + BigInt(bytes(16)[15] ?? 0)).toString()))).toStrictEqual([false, true, false]);
    let turn = 0;
    const code = makeErrorCode((size) => (draws[++turn] ?? draws[0])?.(size) ?? new Uint8Array(size));
    expect([code, turn]).toStrictEqual(['1000000000000009', 2]);
    expect(() => makeErrorCode((size) => draws[1]?.(size) ?? new Uint8Array(size))).toThrow('chance gives no error code');
  });
});
