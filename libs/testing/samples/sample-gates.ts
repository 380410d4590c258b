import type { Gate, Gates } from '@app/gateway-adapters/contract';
import type { GateAlias } from '@app/kernel';

type Capability = 'charging' | 'authorising' | 'verifying';

const never = (): never => {
  throw new Error('a sample gate answers nothing');
};
const CAPABILITIES = { charging: { charge: never }, authorising: { authorise: never }, verifying: { verify: never } } as const;

/** For code that only checks capabilities: these gates answer nothing. */
export const sampleGates = (capabilitiesOf: (alias: GateAlias) => readonly Capability[] = () => ['charging']): Gates => {
  const gate = (alias: GateAlias): Gate => ({
    profile: {
      alias,
      currencies: [],
      cvvRequired: false,
      threeDSecure: false,
      partialReversal: true,
      partialCapture: true,
      needsTexts: false,
      longestFlightMs: 5_000,
      descriptor: alias,
    },
    ...Object.fromEntries(capabilitiesOf(alias).map((capability) => [capability, CAPABILITIES[capability]])),
  });
  return { gate, find: gate };
};
