import type { Gate, Gates } from '@app/gateway-adapters/contract';
import type { GateAlias } from '@app/kernel';

type Ability = 'charging' | 'authorising' | 'verifying';

const never = (): never => {
  throw new Error('a sample gate answers nothing');
};
const ABILITIES = { charging: { charge: never }, authorising: { authorise: never }, verifying: { verify: never } } as const;

/** Gates that can what they are said to, and answer nothing: for what only asks what can be done. */
export const sampleGates = (abilitiesOf: (alias: GateAlias) => readonly Ability[] = () => ['charging']): Gates => {
  const gate = (alias: GateAlias): Gate => ({
    profile: {
      alias,
      currencies: [],
      cvvRequired: false,
      threeDSecure: false,
      partialReversal: true,
      partialCapture: true,
      longestFlightMs: 5_000,
      descriptor: alias,
    },
    ...Object.fromEntries(abilitiesOf(alias).map((ability) => [ability, ABILITIES[ability]])),
  });
  return { gate, find: gate };
};
