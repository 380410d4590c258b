import type { Clock } from '@app/kernel';
import type { GateClients } from '../client';
import type { GateAdapter, GateCapability } from '../contract';
import { templateSecrets, templateSettings } from './settings.schema';
import { TemplateGate } from './template-gate';

export interface TemplatePorts {
  readonly clock: Clock;
  readonly clients: Pick<GateClients, 'open'>;
}

const CONNECT_MS = 5_000;
const WAITING_MAX = 1_000;

const CAPABILITIES = ['charging', 'inquiring', 'listening'] as const satisfies readonly GateCapability[];

/** Copy this for another acquirer (docs/adding-a-gate.md). It is not registered, because this acquirer does not exist. */
export const templateAdapter: GateAdapter<
  'template',
  typeof templateSettings,
  typeof templateSecrets,
  TemplatePorts,
  (typeof CAPABILITIES)[number]
> = {
  name: 'template',
  settings: templateSettings,
  secrets: templateSecrets,
  capabilities: CAPABILITIES,
  create: (settings, { clock, clients }) => {
    const { alias, currencies, cvvRequired, partialReversal, partialCapture, longestFlightMs, descriptor } = settings;
    const { acquirer, connectionsMax, secrets } = settings;
    return new TemplateGate({
      profile: {
        alias,
        currencies: [...currencies],
        cvvRequired,
        threeDSecure: false,
        partialReversal,
        partialCapture,
        longestFlightMs,
        descriptor,
        needsTexts: false,
      },
      client: clients.open({
        gate: alias,
        baseUrl: acquirer.baseUrl,
        connectionsMax,
        waitingMax: WAITING_MAX,
        connectMs: CONNECT_MS,
      }),
      clock,
      apiKey: secrets.apiKey,
      notificationKey: secrets.notificationKey,
    });
  },
};
