import { DOCUMENTED_CADENCE } from './settings';
import { completeSettings } from './settings';

const SETTINGS = { gatewayUrl: 'https://gateway.example', merchantUrl: 'https://shop.example', device: { serialNumber: 'phone-1' } };

it.each([
  [0, 0],
  [-1, 5],
  [5, 4],
  [Number.NaN, 5],
])('rejects a cadence with gaps from %d to %d ms', (gapMsMin, gapMsMax) => {
  const cadence = { ...DOCUMENTED_CADENCE, gapMsMin, gapMsMax };
  expect(() => completeSettings({ ...SETTINGS, cadence })).toThrow(new RangeError('cadence must have gaps above 0 ms'));
  expect(() => completeSettings({ ...SETTINGS, cadence })).toThrow(RangeError);
});

it('accepts a cadence with equal minimum and maximum gaps', () => {
  const cadence = { ...DOCUMENTED_CADENCE, gapMsMin: 5, gapMsMax: 5 };
  expect(completeSettings({ ...SETTINGS, cadence }).cadence).toStrictEqual(cadence);
});
